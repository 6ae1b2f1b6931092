"""Rules as data: the expression language, the model of facts, topics and rules, the loader, lint and rule tests."""
