#ifdef PALATE_METHOD_HEAVY
const char* heavy();
const char* registry() { return heavy(); }
#else
const char* registry() { return "light alone"; }
#endif
