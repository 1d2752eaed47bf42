"""sacreBLEU's own options and test sets on the command line."""
