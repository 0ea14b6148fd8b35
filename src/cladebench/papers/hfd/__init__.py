"""Johnson, Xiong and Corso: distances of forests of max-margin cluster hierarchies."""
