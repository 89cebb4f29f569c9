const char* heavy() { return "heavy too"; }
