// The functions of linked.go have no body here: the linker finds them.
