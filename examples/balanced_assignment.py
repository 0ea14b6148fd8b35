"""
An exact balanced assignment
============================

You learn how to assign rows to groups of bounded size at the least total cost. Prices prove that no other assignment
costs less.

30 students are to be spread over three courses. Each course takes 9 to 11.
"""

# %%
# Costs
# -----
# Students and courses are points; the cost is the distance. Most live near course 0, so the nearest course will not
# do for all.
import matplotlib.pyplot as plt
import numpy as np

from cladebench.solvers import balanced_assignment

rng = np.random.default_rng(1)
courses = np.array([[0.0, 0.0], [4.0, 0.5], [2.0, 3.5]])
students = rng.normal([0.8, 0.8], 1.3, size=(30, 2))
cost = np.linalg.norm(students[:, None] - courses[None], axis=2)

nearest = cost.argmin(axis=1)
print("students nearest to each course:", np.bincount(nearest, minlength=3))

# %%
# The assignment
# --------------
lower, upper = 9, 11
labels, prices = balanced_assignment(cost, lower, upper, return_prices=True)
total = cost[np.arange(30), labels].sum()
print("students in each course:        ", np.bincount(labels, minlength=3))
print(f"total distance: {total:.6f}")

# %%
# The proof
# ---------
# Give each course a price v and let each student take the course with the least cost less price. Whatever the prices,
# the sum below is at most the cost of any allowed assignment. With the prices that were returned it is the cost of
# ours, so ours is the least.
bound = (cost - prices).min(axis=1).sum() + (np.where(prices >= 0, lower, upper) * prices).sum()
print(f"lower bound:    {bound:.6f}")
assert np.isclose(bound, total)

# %%
# The picture
# -----------
# Rings mark students who do not go to the nearest course.
fig, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
colors = plt.get_cmap("viridis")(labels / 2)
for student, course, color in zip(students, courses[labels], colors, strict=True):
    ax.plot(*np.transpose([student, course]), color=color, linewidth=0.8)
ax.scatter(*students.T, c=colors, s=30, zorder=3)
ax.scatter(*students[labels != nearest].T, s=110, facecolors="none", edgecolors="black", zorder=3)
ax.scatter(*courses.T, c=[0, 1, 2], cmap="viridis", marker="s", s=120, edgecolors="black", zorder=4)
ax.set(xticks=[], yticks=[], title=f"least total distance: {total:.2f}")
