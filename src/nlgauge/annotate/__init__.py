"""Annotation: collect ratings of people in the browser, in a directory that survives a crash, for
`nlgauge meta` and `nlgauge rank`.
"""
