"""Small files of a user, in bytes."""

import io

import numpy as np

CSV = "a,b,group\n1.5,2,x\n3,4,y\n5,6,x\n7,9,y\n"


def npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def binary(frame, method):
    stream = io.BytesIO()
    getattr(frame, method)(stream)
    return stream.getvalue()
