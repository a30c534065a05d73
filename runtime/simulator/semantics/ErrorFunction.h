//===- ErrorFunction.h - erf, erfc, erfinv ----------------------*- C++ -*-===//
#pragma once
#include "runtime/simulator/semantics/Logarithm.h"

namespace neuron::simulator::semantics::inline NEURON_ISA {

/// erfinv(x) / x as a function of w = -log(1 - x^2), for w below 16.8.
template <template <class> class V> V<double> erfinvRatio(V<double> w) {
  V<double> central = polynomial(
      w - 2.5,
      {1.5014093511463882, 0.24664027674025882, -0.0041773182378749803,
       -0.0012527079276452439, 0.00021825147513393559, -4.9960298741182228e-06,
       -3.4176945218757099e-06, 4.7870170894721642e-07, 1.3874312524344226e-08,
       -1.0863845453745598e-08, 8.0620621972772881e-10, 1.2359563027184245e-10,
       -1.9767896956279311e-11});
  V<double> tail = polynomial(
      root(w) - 3.2,
      {3.0336365698899517, 1.0046924494156293, 0.0059734943454930797,
       -0.0042943012966586138, 0.0029470591601065848, -0.0019921245547228814,
       0.0010942316198227296, -0.00036117237263247445, -4.1625721333656626e-05,
       0.00010152270939963549, -2.9515091423691864e-05});
  return choose(w < 5.0, central, tail);
}

namespace fn {

/// |x| < 1: x P(x^2). Beyond: 1 - exp(-P(x)).
template <template <class> class V> V<float> erf(V<float> x) {
  V<float> y = clampMagnitude(x, 3.95f);
  V<float> x2 = y * y;
  V<float> small =
      y * polynomial(x2, {1.12837923f, -0.376126379f, 0.112837821f,
                          -0.0268654004f, 0.00522094546f, -0.000848282943f,
                          0.000112569513f, -9.64152605e-06f});
  V<float> exponent =
      -polynomial(y, {-0.00020207015f, 1.1296494f, 0.633065701f, 0.108606674f,
                      -0.0253489837f, 0.00427066535f, -0.00046036666f,
                      2.47557473e-05f, -2.12196426e-07f});
  V<float> large = V<float>(1.0f) - splitExp(exponent, exponent, false).value();
  return withSignOf(choose(y < 1.0f, small, large), x);
}

template <template <class> class V> V<float> erfc(V<float> x) {
  V<double> a = to<double>(clampMagnitude(x, 10.3f));
  V<double> q = (a - 3.0) / (a + 3.0);
  V<double> scaled = polynomial(
      q,
      {1.2530080582787806, -0.13562110640967373, -0.04756229600178901,
       0.12964517506235146, -0.11927360758564691, 0.068307777351683599,
       -0.023771274609707512, 0.00253079457273839, 0.0018935810052108217,
       -0.00078193680380534596, -0.00011987746227080354, 0.00011940442478991544,
       2.1383736022046325e-05, -4.1408514723965077e-06});
  V<double> y = expInDouble(-(a * a)).value() * (scaled / (a + a + 1.0));
  return to<float>(choose(x < 0.0f, V<double>(2.0) - y, y));
}

template <template <class> class V> V<float> erfinv(V<float> x) {
  V<float> y = magnitude(x);
  V<float> inside = choose(y < 1.0f, y, V<float>(0.0f));
  V<double> a = to<double>(inside);
  V<double> w = -logInDouble((V<double>(1.0) - a) * (a + 1.0));
  V<float> r = to<float>(a * erfinvRatio(w));
  r = choose(y < 1.0f, r, V<float>(infinity<float>()));
  r = withSignOf(r, x);
  return choose(y <= 1.0f, r, V<float>(quietNaN<float>()));
}

} // namespace fn
} // namespace neuron::simulator::semantics::inline NEURON_ISA
