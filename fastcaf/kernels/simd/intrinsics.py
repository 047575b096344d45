"""The operations of ``vectors.py`` as vector instructions, written in LLVM's language.

A value of type ``Vector`` fills a register (or two, where registers are shorter).

This uses internals of Numba (typing templates, ``cgutils``, the builder of llvmlite) that may
change between versions: tested with Numba 0.60.0, 0.61.2,
0.65.1 and 0.68.1 on x86-64.  Where they do not compile, ``vectors.py`` does without them.
"""

import math
import operator

from llvmlite import ir  # type: ignore[import-untyped]
from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.simd.plain_vectors import CUT

# As long as a register, so that the eight sums of the longest loop and their operands fit.
BYTES = 64 if get_host_cpu_features().get("avx512f") else 32

# Taylor series of exp on [-ln 2 / 2, ln 2 / 2]: the first term left out is below the rounding.
DEGREE = {32: 7, 64: 12}
MANTISSA = {32: 23, 64: 52}
# ln 2 as a short number, whose product with a small whole number is exact, and the rest.
LN2 = {32: (0.693359375, -2.12194440e-4), 64: (0.6931471803691238, 1.9082149292705877e-10)}


class Vector(types.Type):
    """Numbers of one type that fill ``BYTES``."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.count = 8 * BYTES // dtype.bitwidth
        super().__init__(name=f"Vector({dtype})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, vector):
        number = manager.lookup(vector.dtype).get_value_type()
        super().__init__(manager, vector, ir.VectorType(number, vector.count))


def _register(operation, method):
    """Let an operator of Python work on two values of type Vector."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and isinstance(args[0], Vector) and args[0] == args[1]:
                return signature(args[0], *args)
            return None

    @lower_builtin(operation, Vector, Vector)
    def _generate(context, builder, signature, arguments):
        return getattr(builder, method)(*arguments)


for _operation, _method in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul")):
    _register(getattr(operator, _operation), _method)
_register(operator.truediv, "fdiv")


def _place(context, builder, array_type, array, offset):
    """Pointer to a number of an array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [offset])


def _write(context, builder, array_type, array, offset, vector):
    place = _place(context, builder, array_type, array, offset)
    place = builder.bitcast(place, vector.type.as_pointer())
    builder.store(vector, place, align=array_type.dtype.bitwidth // 8)


def _all_equal(builder, vector, number):
    """A vector with the same number everywhere."""
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, _lane(0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None)
    return builder.shuffle_vector(one, one, everywhere)


def _lane(k):
    return ir.Constant(ir.IntType(32), k)


def _constant(vector, value):
    return ir.Constant(vector, [ir.Constant(vector.element, value)] * vector.count)


def _fused(builder, a, b, c):
    """Emit a * b + c with one rounding; the builder's own method takes single numbers."""
    bits = {"float": 32, "double": 64}[str(a.type.element)]
    name = f"llvm.fma.v{a.type.count}f{bits}"
    function = ir.FunctionType(a.type, [a.type] * 3)
    return builder.call(get_or_insert_function(builder.module, function, name), [a, b, c])


def _fold(builder, vector, combine):
    """Combine the lanes: halves with halves, down to one number."""
    count = vector.type.count
    while count > 1:
        count //= 2
        low, high = range(count), range(count, 2 * count)
        halves = [
            builder.shuffle_vector(
                vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), count), list(half))
            )
            for half in (low, high)
        ]
        vector = combine(*halves)
    return builder.extract_element(vector, _lane(0))


def _smaller(builder):
    return lambda a, b: builder.select(builder.fcmp_ordered("<", b, a), b, a)


@kernel
def count_lanes(array):
    """How many numbers of an array make a vector."""
    return BYTES // array.itemsize


@intrinsic
def load(typing_context, array, offset):
    """Consecutive numbers of an array."""

    def generate(context, builder, signature, arguments):
        place = _place(context, builder, signature.args[0], *arguments)
        vector = context.get_value_type(signature.return_type)
        place = builder.bitcast(place, vector.as_pointer())
        return builder.load(place, align=array.dtype.bitwidth // 8)

    return Vector(array.dtype)(array, types.intp), generate


@intrinsic
def store(typing_context, array, offset, vector):
    """Write to consecutive places of an array."""

    def generate(context, builder, signature, arguments):
        _write(context, builder, signature.args[0], *arguments)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


@intrinsic
def store_four(typing_context, array, offset, stride, a, b, c, d):
    """Write four vectors, ``stride`` numbers apart."""

    def generate(context, builder, signature, arguments):
        array_type, (place, offset, stride) = signature.args[0], arguments[:3]
        for vector in arguments[3:]:
            _write(context, builder, array_type, place, offset, vector)
            offset = builder.add(offset, stride)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, a, b, c, d), generate


@intrinsic
def load_broadcast(typing_context, array, offset):
    """One number of an array, in every lane."""

    def generate(context, builder, signature, arguments):
        number = builder.load(_place(context, builder, signature.args[0], *arguments))
        return _all_equal(builder, context.get_value_type(signature.return_type), number)

    return Vector(array.dtype)(array, types.intp), generate


@intrinsic
def broadcast(typing_context, number):
    """The number in every lane."""

    def generate(context, builder, signature, arguments):
        return _all_equal(builder, context.get_value_type(signature.return_type), arguments[0])

    return Vector(number)(number), generate


@intrinsic
def multiply_add(typing_context, a, b, c):
    """Compute a * b + c with one rounding."""

    def generate(context, builder, signature, arguments):
        return _fused(builder, *arguments)

    return a(a, b, c), generate


@intrinsic
def minimum(typing_context, a, b):
    """The smaller of two, lane by lane."""

    def generate(context, builder, signature, arguments):
        return _smaller(builder)(*arguments)

    return a(a, b), generate


@intrinsic
def horizontal_sum(typing_context, vector):
    """Sum of the lanes, halves added to halves."""

    def generate(context, builder, signature, arguments):
        return _fold(builder, arguments[0], builder.fadd)

    return vector.dtype(vector), generate


@intrinsic
def horizontal_min(typing_context, vector):
    """The smallest of the lanes."""

    def generate(context, builder, signature, arguments):
        return _fold(builder, arguments[0], _smaller(builder))

    return vector.dtype(vector), generate


@intrinsic
def any_at_most(typing_context, vector, limits):
    """Whether some lane is at most its limit."""

    def generate(context, builder, signature, arguments):
        within = builder.fcmp_ordered("<=", *arguments)
        bits = ir.IntType(within.type.count)
        return builder.icmp_unsigned("!=", builder.bitcast(within, bits), bits(0))

    return types.boolean(vector, limits), generate


@intrinsic
def exp_negative(typing_context, exponents):
    """exp(x) for x in [-CUT, 0], 0 for smaller x (and for no number).

    exp(x) = 2^k exp(r) with a whole number k and |r| <= ln 2 / 2.  Adding a number as large
    as the mantissa rounds x / ln 2 to k and leaves k in the last bits, from where it is moved
    to the exponent.
    """
    bits = exponents.dtype.bitwidth

    def generate(context, builder, signature, arguments):
        x = arguments[0]
        vector = x.type
        integers = ir.VectorType(ir.IntType(bits), vector.count)
        rounder = _constant(vector, 1.5 * 2.0 ** MANTISSA[bits])
        shifted = _fused(builder, x, _constant(vector, 1.0 / math.log(2.0)), rounder)
        k = builder.fsub(shifted, rounder)
        r = x
        for part in LN2[bits]:
            r = _fused(builder, k, _constant(vector, -part), r)
        series = _constant(vector, 1.0 / math.factorial(DEGREE[bits]))
        for degree in reversed(range(DEGREE[bits])):
            series = _fused(builder, series, r, _constant(vector, 1.0 / math.factorial(degree)))
        exponent = builder.shl(
            builder.bitcast(shifted, integers), _constant(integers, MANTISSA[bits])
        )
        result = builder.bitcast(
            builder.add(builder.bitcast(series, integers), exponent), vector
        )
        inside = builder.fcmp_ordered(">=", x, _constant(vector, -CUT))
        return builder.select(inside, result, _constant(vector, 0.0))

    return exponents(exponents), generate
