"""Stop when sure: tests of a difference whose data arrive in parts.

Two engines. Use `PlannedLooks` if the number of units (segments or documents) is known: it works for every
additive metric, with documents and with missing scores. Use `anytime` only for a stream of unknown length.

The interface of a loop that gets its scores look by look:

    test = PlannedLooks(Clusters(documents, segments), alpha=0.05, looks=20, spending="t2", seed=seed)
    test.resume(state)                       # only if an earlier process was interrupted: its `test.state()`
    while test.is_open:
        segments = test.segments()           # segment numbers of the next look; score them with both systems
        first, second = ...                  # unit totals of both systems (units, width): `Resampling.totals`
        outcome = test.look(first, second, score)   # score: sums (n, width) of statistics -> outputs (n,)
        ... save test.state() ...            # plain data, for run.json
    low, high = outcome.interval

Rows of units that no look has reached are ignored, whatever they contain, so cached scores of later segments
change no verdict. `outcome.sign` is 1 if the output of the first system is higher, -1 if it is lower, and 0
while the test is open or if it ended without a decision. `results.sequential.look_at` makes the call for two
systems of a `Result`, with missing scores left out for both. With m pairs to decide, use one object per pair
with `alpha / m` and the same seed, so that all pairs have the same order of units.
"""
