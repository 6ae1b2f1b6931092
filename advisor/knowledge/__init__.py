"""Rules as data: the expression language, the model of topics and rules, the loader, checks, lint and cache."""
