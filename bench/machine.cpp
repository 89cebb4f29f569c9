// Compiled for the machine at hand (-march=native), so that the yardstick is not too short.
#include "machine.hpp"

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace bench {

Work matrix_product() {
  constexpr int n = 1024;
  struct Matrices {
    Eigen::MatrixXf a = Eigen::MatrixXf::Random(n, n);
    Eigen::MatrixXf b = Eigen::MatrixXf::Random(n, n);
    Eigen::MatrixXf c = Eigen::MatrixXf::Zero(n, n);
  };
  return {.elements = 0,
          .flops = 2.0 * n * n * n,
          .bytes = 0,
          .once = [m = std::make_shared<Matrices>()] {
            m->c.noalias() = m->a * m->b;
            return static_cast<double>(m->c(0, 0));
          }};
}

Work memory_read(std::size_t bytes) {
  auto a = std::make_shared<Eigen::VectorXf>(
      Eigen::VectorXf::Constant(static_cast<Eigen::Index>(bytes / 4), 1.0F));
  return {.elements = 0, .flops = 0, .bytes = 4.0 * static_cast<double>(a->size()), .once = [a] {
            return static_cast<double>(a->sum());
          }};
}

Work memory_triad(std::size_t bytes) {
  struct Arrays {
    Eigen::VectorXf a, b, c;
  };
  const auto n = static_cast<Eigen::Index>(bytes / 12);
  auto v = std::make_shared<Arrays>(
      Arrays{Eigen::VectorXf::Zero(n), Eigen::VectorXf::Ones(n), Eigen::VectorXf::Ones(n)});
  return {.elements = 0, .flops = 0, .bytes = 12.0 * static_cast<double>(n), .once = [v] {
            v->a = v->b + 3.0F * v->c;
            return static_cast<double>(v->a[0]);
          }};
}

}  // namespace bench
