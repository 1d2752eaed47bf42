"""Meta-evaluation of error spans: how well metrics find the errors that people mark."""
