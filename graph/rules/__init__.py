"""Pure rules: what input means, who may, which transition, which fold. No I/O; times come from the caller."""
