"""What every other package may use: arrays, progress, paths, locks, numbers in words, pages as plain
values.
"""
