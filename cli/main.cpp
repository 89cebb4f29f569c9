#include "app.hpp"

int main(int argc, char** argv) { return palate::cli::run(argc, argv); }
