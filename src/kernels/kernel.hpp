// How a kernel is declared and defined: it is compiled once per instruction set (Highway's way),
// and a call takes the best that the machine has.
#pragma once

namespace palate::kernels {

template <class Function>
using Kernel = Function* const;

}  // namespace palate::kernels

/// Defines the kernel `name` as `Name` of each instruction set, below #if HWY_ONCE.
#define PALATE_KERNEL(name, Name)                               \
  HWY_EXPORT(Name);                                             \
  decltype(name) name = /* NOLINT: a name cannot stand in () */ \
      [](auto... arguments) { return HWY_DYNAMIC_DISPATCH(Name)(arguments...); }
