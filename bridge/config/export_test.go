package config

// Describe is how the tests see the descriptor with comments.
var Describe = describe
