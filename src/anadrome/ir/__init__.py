"""The graph that programs are turned into: types, nodes, operations, its printer."""
