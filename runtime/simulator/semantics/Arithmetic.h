//===- Arithmetic.h - exact functions of every type -------------*- C++ -*-===//
//
// Arithmetic, comparison, logic, bits, rounding. The functions that need a loop
// (fmod, gcd, integer pow ...) are in Scalars.h.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/semantics/Polynomial.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

template <class T>
inline constexpr bool isFloating = std::is_floating_point_v<T>;

/// Whether an integer is negative; false for unsigned ones.
template <template <class> class V, class T> V<bool> isNegative(V<T> x) {
  if constexpr (std::is_signed_v<T>)
    return x < T(0);
  else
    return V<bool>(false);
}

/// a / b of integers toward zero; 0 where b is 0, and that is reported.
template <template <class> class V, class T> V<T> quotient(V<T> a, V<T> b) {
  V<bool> zero = b == T(0);
  flagDivisionByZero(zero);
  if constexpr (std::is_signed_v<T>) {
    V<bool> minusOne = b == T(-1); // the smallest integer / -1 wraps
    V<T> divisor = choose(zero | minusOne, V<T>(T(1)), b);
    V<T> q = a / divisor;
    return choose(zero, V<T>(T(0)), choose(minusOne, -a, q));
  } else {
    V<T> divisor = choose(zero, V<T>(T(1)), b);
    return choose(zero, V<T>(T(0)), a / divisor);
  }
}

namespace fn {

template <class X> X identity(X x) { return x; }

template <template <class> class V, class T>
V<T> select(V<bool> condition, V<T> a, V<T> b) {
  return choose(condition, a, b);
}

template <template <class> class V, class T> V<T> add(V<T> a, V<T> b) {
  return a + b;
}
template <template <class> class V, class T> V<T> sub(V<T> a, V<T> b) {
  return a - b;
}
template <template <class> class V, class T> V<T> mul(V<T> a, V<T> b) {
  return a * b;
}
template <template <class> class V, class T> V<T> div(V<T> a, V<T> b) {
  return a / b;
}

template <template <class> class V, class T> V<T> trunc_div(V<T> a, V<T> b) {
  if constexpr (isFloating<T>)
    return roundToZero(a / b);
  else
    return quotient(a, b);
}

template <template <class> class V, class T>
  requires(!isFloating<T>)
V<T> floor_div(V<T> a, V<T> b) {
  V<T> q = quotient(a, b);
  if constexpr (std::is_signed_v<T>) {
    V<T> rest = a - q * b;
    V<bool> below = (rest != T(0)) & ((rest < T(0)) ^ (b < T(0))) & (b != T(0));
    return choose(below, q - T(1), q);
  } else {
    return q;
  }
}

template <template <class> class V, class T>
  requires(!isFloating<T>)
V<T> fmod(V<T> a, V<T> b) {
  return a - quotient(a, b) * b;
}

template <template <class> class V, class T>
  requires(!isFloating<T>)
V<T> remainder(V<T> a, V<T> b) {
  V<T> rest = fn::fmod(a, b);
  if constexpr (std::is_signed_v<T>) {
    V<bool> wrong = (rest != T(0)) & ((rest < T(0)) ^ (b < T(0)));
    return choose(wrong, rest + b, rest);
  } else {
    return rest;
  }
}

template <template <class> class V, class T> V<T> hw_max(V<T> a, V<T> b) {
  return choose((a > b) | isNaN(b), a, b);
}
template <template <class> class V, class T> V<T> hw_min(V<T> a, V<T> b) {
  return choose((a < b) | isNaN(b), a, b);
}
// Of equal zeros these take `a`.
template <template <class> class V, class T> V<T> maximum(V<T> a, V<T> b) {
  if constexpr (isFloating<T>)
    return choose((b > a) | isNaN(b), b, a);
  else
    return choose(b > a, b, a);
}
template <template <class> class V, class T> V<T> minimum(V<T> a, V<T> b) {
  if constexpr (isFloating<T>)
    return choose((b < a) | isNaN(b), b, a);
  else
    return choose(b < a, b, a);
}
template <template <class> class V, class T> V<T> fmax(V<T> a, V<T> b) {
  return choose((b > a) | isNaN(a), b, a);
}
template <template <class> class V, class T> V<T> fmin(V<T> a, V<T> b) {
  return choose((b < a) | isNaN(a), b, a);
}

template <template <class> class V, class T> V<T> neg(V<T> x) { return -x; }

template <template <class> class V, class T> V<T> abs(V<T> x) {
  if constexpr (isFloating<T>)
    return magnitude(x);
  else if constexpr (std::is_signed_v<T>)
    return choose(x < T(0), -x, x);
  else
    return x;
}

template <template <class> class V, class T> V<T> sign(V<T> x) {
  V<T> positive = choose(x > T(0), V<T>(T(1)), V<T>(T(0)));
  if constexpr (std::is_signed_v<T>)
    return choose(x < T(0), V<T>(T(-1)), positive);
  else
    return positive;
}

template <template <class> class V, class T> V<T> relu(V<T> x) {
  return choose(x < T(0), V<T>(T(0)), x);
}
template <template <class> class V, class T> V<T> square(V<T> x) {
  return x * x;
}
template <template <class> class V, class T> V<T> reciprocal(V<T> x) {
  return V<T>(T(1)) / x;
}
template <template <class> class V, class T> V<T> sqrt(V<T> x) {
  return root(x);
}
template <template <class> class V, class T> V<T> rsqrt(V<T> x) {
  return V<T>(T(1)) / root(x);
}
/// The sign of a NaN is the canonical one, plus.
template <template <class> class V, class T> V<T> copysign(V<T> a, V<T> b) {
  using U = BitsOf<T>;
  V<U> sign = choose(isNaN(b), V<U>(U(0)), bitcast<U>(b) & kSignBit<T>);
  return bitcast<T>((bitcast<U>(a) & U(~kSignBit<T>)) | sign);
}

template <template <class> class V, class T> V<T> nextafter(V<T> a, V<T> b) {
  using U = BitsOf<T>;
  V<U> bits = bitcast<U>(a);
  V<bool> away = (a > T(0)) ^ (b < a); // grows in magnitude
  V<U> stepped = choose(away, bits + U(1), bits - U(1));
  // From zero: the smallest subnormal of b's sign.
  V<U> first = (bitcast<U>(b) & kSignBit<T>) | U(1);
  V<T> r = bitcast<T>(choose(a == T(0), first, stepped));
  r = choose(a == b, b, r);
  return choose(isNaN(a) | isNaN(b), V<T>(quietNaN<T>()), r);
}

template <template <class> class V, class T> V<T> ceil(V<T> x) {
  if constexpr (isFloating<T>)
    return roundUp(x);
  else
    return x;
}
template <template <class> class V, class T> V<T> floor(V<T> x) {
  if constexpr (isFloating<T>)
    return roundDown(x);
  else
    return x;
}
template <template <class> class V, class T> V<T> round(V<T> x) {
  if constexpr (isFloating<T>)
    return roundToEven(x);
  else
    return x;
}
template <template <class> class V, class T> V<T> trunc(V<T> x) {
  if constexpr (isFloating<T>)
    return roundToZero(x);
  else
    return x;
}

template <template <class> class V> V<float> hypot(V<float> x, V<float> y) {
  V<double> a = to<double>(x), b = to<double>(y);
  V<float> r = to<float>(root(a * a + b * b));
  V<bool> infinite =
      (magnitude(x) == infinity<float>()) | (magnitude(y) == infinity<float>());
  return choose(infinite, V<float>(infinity<float>()), r);
}

template <template <class> class V, class T> V<bool> eq(V<T> a, V<T> b) {
  return a == b;
}
template <template <class> class V, class T> V<bool> ne(V<T> a, V<T> b) {
  return a != b;
}
template <template <class> class V, class T> V<bool> lt(V<T> a, V<T> b) {
  return a < b;
}
template <template <class> class V, class T> V<bool> le(V<T> a, V<T> b) {
  return a <= b;
}
template <template <class> class V, class T> V<bool> gt(V<T> a, V<T> b) {
  return a > b;
}
template <template <class> class V, class T> V<bool> ge(V<T> a, V<T> b) {
  return a >= b;
}
template <template <class> class V, class T> V<bool> isnan(V<T> x) {
  return x != x;
}
template <template <class> class V, class T> V<bool> isinf(V<T> x) {
  return magnitude(x) == infinity<T>();
}
template <template <class> class V, class T> V<bool> isfinite(V<T> x) {
  return magnitude(x) < infinity<T>();
}
template <template <class> class V, class T> V<bool> signbit(V<T> x) {
  if constexpr (isFloating<T>)
    return ((bitcast<BitsOf<T>>(x) & kSignBit<T>) != BitsOf<T>(0)) &
           ~isNaN(x); // as for copysign
  else
    return isNegative(x);
}

template <template <class> class V, class T> V<bool> truth(V<T> x) {
  if constexpr (std::is_same_v<T, bool>)
    return x;
  else
    return x != T(0);
}
template <template <class> class V, class T> V<bool> logical_not(V<T> x) {
  return ~truth(x);
}
template <template <class> class V, class T>
V<bool> logical_and(V<T> a, V<T> b) {
  return truth(a) & truth(b);
}
template <template <class> class V, class T>
V<bool> logical_or(V<T> a, V<T> b) {
  return truth(a) | truth(b);
}
template <template <class> class V, class T>
V<bool> logical_xor(V<T> a, V<T> b) {
  return truth(a) ^ truth(b);
}

template <template <class> class V, class T> V<T> bitwise_not(V<T> x) {
  return ~x;
}
template <template <class> class V, class T> V<T> bitwise_and(V<T> a, V<T> b) {
  return a & b;
}
template <template <class> class V, class T> V<T> bitwise_or(V<T> a, V<T> b) {
  return a | b;
}
template <template <class> class V, class T> V<T> bitwise_xor(V<T> a, V<T> b) {
  return a ^ b;
}

/// Whether a shift count is in [0, width).
template <template <class> class V, class T> V<bool> inWidth(V<T> count) {
  return bitcast<BitsOf<T>>(count) < BitsOf<T>(sizeof(T) * 8);
}
template <template <class> class V, class T>
V<T> shift_left(V<T> a, V<T> count) {
  V<bool> fits = inWidth(count);
  return choose(fits, a << choose(fits, count, V<T>(T(0))), V<T>(T(0)));
}
/// A count outside of the width leaves the sign, as in PyTorch.
template <template <class> class V, class T>
V<T> shift_right(V<T> a, V<T> count) {
  V<bool> fits = inWidth(count);
  if constexpr (std::is_signed_v<T>)
    return a >> choose(fits, count, V<T>(T(sizeof(T) * 8 - 1)));
  else
    return choose(fits, a >> choose(fits, count, V<T>(T(0))), V<T>(T(0)));
}

} // namespace fn
} // namespace neuron::simulator::semantics::inline NEURON_ISA
