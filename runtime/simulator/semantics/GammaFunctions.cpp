//===- GammaFunctions.cpp - incomplete gamma and zeta in float64 ----------===//
#include "runtime/simulator/semantics/Scalars.h"

namespace neuron::simulator::semantics {

namespace {

constexpr double kTwoPi = 0x1.921fb54442d18p+2;

/// log(Gamma(1 + a)) for a >= 0, exact also for tiny a.
double lgammaOfOnePlus(double a) {
  if (a > 1e-5)
    return lgammaOf(1 + a);
  return a * (-0.57721566490153286061 +
              a * (0.82246703342411321824 - a * 0.40068563438653142847));
}

/// mu - log(1 + mu)
double excess(double mu) {
  if (std::fabs(mu) > 0.1)
    return mu - std::log1p(mu);
  double power = mu * mu, sum = 0;
  for (int k = 2; k < 24; ++k) {
    sum += (k % 2 ? -power : power) / k;
    power *= mu;
  }
  return sum;
}

/// x^a exp(-x) / Gamma(a + 1)
double prefix(double a, double x) {
  if (a < 20)
    return std::exp(a * std::log(x) - x - lgammaOfOnePlus(a));
  // Stirling's series takes the cancellation out.
  double z = 1 / (a * a);
  double rest =
      (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680)))) / a;
  return std::exp(-a * excess((x - a) / a) - rest) / std::sqrt(kTwoPi * a);
}

/// The lower function, for x that is not much larger than a.
double lowerSeries(double a, double x) {
  double term = 1, sum = 1;
  for (double n = a + 1; term > sum * 1e-17; ++n) {
    term *= x / n;
    sum += term;
  }
  return prefix(a, x) * sum;
}

/// The upper function for x in (0, 1.1], where 1 - lower would cancel:
/// 1 - x^a / Gamma(1 + a) - x^a / Gamma(a) sum (-x)^n / (n! (a + n)).
double upperSeries(double a, double x) {
  double factor = 1, sum = 0;
  for (int n = 1; n < 60; ++n) {
    factor *= -x / n;
    sum += factor / (a + n);
    if (std::fabs(factor) < 1e-18)
      break;
  }
  double logarithm = a * std::log(x) - lgammaOfOnePlus(a);
  return -std::expm1(logarithm) - std::exp(logarithm) * a * sum;
}

/// The upper function for x > a, by its continued fraction (Lentz's method).
double upperFraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (double i = 1;; ++i) {
    double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = b + an / c;
    c = std::fabs(c) < kTiny ? kTiny : c;
    double change = d * c;
    h *= change;
    if (std::fabs(change - 1) < 1e-16 || i > 1e6)
      break;
  }
  return prefix(a, x) * a * h;
}

/// For huge a, where the series above are long: the normal distribution with
/// the first term of Temme's expansion, which is off by less than 1 / a.
double upperOfHuge(double a, double x) {
  double mu = (x - a) / a;
  double eta = std::copysign(std::sqrt(2 * excess(mu)), mu);
  double normal = 0.5 * std::erfc(eta * std::sqrt(a / 2));
  double ratio = std::fabs(mu) < 1e-4 ? -1.0 / 3 + mu / 12 : 1 / mu - 1 / eta;
  return normal + ratio * std::exp(-a * eta * eta / 2) / std::sqrt(kTwoPi * a);
}

constexpr double kHuge = 1e8;

/// Either function where none of the limits of PyTorch's kernels applies.
double incompleteGamma(double a, double x, bool isUpper) {
  if (a > kHuge && std::fabs(x - a) < 0.3 * a) {
    double upper = upperOfHuge(a, x);
    return isUpper ? upper : 1 - upper;
  }
  if (x <= 1.1 && (x > a || (isUpper && a < 0.5)))
    return isUpper ? upperSeries(a, x) : 1 - upperSeries(a, x);
  bool isSeries = x <= a;
  double value = isSeries ? lowerSeries(a, x) : upperFraction(a, x);
  return isSeries == isUpper ? 1 - value : value;
}

/// With the limits, in the order of PyTorch's kernels.
double limitedGamma(double a, double x, bool isUpper) {
  double nan = quietNaN<double>(), nothing = isUpper, all = 1 - nothing;
  if (x < 0 || a < 0)
    return nan;
  if (a == 0)
    return x > 0 ? all : nan;
  if (x == 0)
    return nothing;
  if (std::isinf(a))
    return std::isinf(x) ? nan : nothing;
  if (std::isinf(x))
    return all;
  return std::isnan(a) || std::isnan(x) ? nan : incompleteGamma(a, x, isUpper);
}

/// zeta(s, q) for q > 0 by the formula of Euler and Maclaurin.
double zetaOfPositive(double s, double q) {
  constexpr int kTerms = 10;
  // (2k)! / B_2k
  static constexpr double kFactors[] = {12.0,
                                        -720.0,
                                        30240.0,
                                        -1209600.0,
                                        47900160.0,
                                        -1.8924375803183791606e9,
                                        7.47242496e10,
                                        -2.950130727918164224e12,
                                        1.1646782814350067249e14,
                                        -4.5979787224074726105e15,
                                        1.8152105401943546773e17,
                                        -7.1661652561756670113e18};
  double sum = 0;
  for (int i = 0; i < kTerms; ++i) {
    double term = std::pow(q, -s);
    sum += term;
    if (term < sum * 1e-17)
      return sum;
    q += 1;
  }
  double last = std::pow(q, -s);
  if (last == 0) // s is huge
    return sum;
  sum += last * q / (s - 1) + 0.5 * last;
  double factor = s, power = last / q;
  for (int k = 0; k < 12; ++k) {
    double term = factor * power / kFactors[k];
    sum += term;
    if (std::fabs(term) < std::fabs(sum) * 1e-17)
      break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= q * q;
  }
  return sum;
}

} // namespace

double zetaOf(double s, double q) {
  if (s < 1)
    return quietNaN<double>();
  if (s == 1 || (q <= 0 && q == std::floor(q)))
    return infinity<double>();
  if (std::isnan(s) || std::isnan(q))
    return quietNaN<double>();
  if (std::isinf(s) || std::isinf(q))
    return q > 1 ? 0 : q == 1 ? 1 : infinity<double>();
  if (q > 0)
    return zetaOfPositive(s, q);
  if (s != std::floor(s)) // powers of negative numbers
    return quietNaN<double>();
  // The terms of negative base are those of two other sums, mirrored.
  double steps = std::ceil(-q), fraction = q + steps;
  double mirrored =
      zetaOfPositive(s, 1 - fraction) - zetaOfPositive(s, 1 - fraction + steps);
  double positive = zetaOfPositive(s, fraction);
  if (std::fmod(s, 2) != 1)
    return positive + mirrored;
  if (fraction == 0.5) // all of them but the last cancel
    return zetaOfPositive(s, 0.5 + steps);
  if (std::isinf(positive) && std::isinf(mirrored)) // the smaller base wins
    return fraction < 0.5 ? positive : -mirrored;
  return positive - mirrored;
}

double igammaOf(double a, double x) {
  return limitedGamma(a, x, /*isUpper=*/false);
}

double igammacOf(double a, double x) {
  return limitedGamma(a, x, /*isUpper=*/true);
}

} // namespace neuron::simulator::semantics
