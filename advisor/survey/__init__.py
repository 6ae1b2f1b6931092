"""The survey of 2018 and the benchmark of 2016, judged by measurements made here."""
