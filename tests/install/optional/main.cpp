#include <cstdio>

const char* registry();

int main() { std::puts(registry()); }
