// The settings of a method, as Python carries them about.
#pragma once

#include "palate/model.hpp"

namespace palate::python {

struct Settings {
  Method method;
};

}  // namespace palate::python
