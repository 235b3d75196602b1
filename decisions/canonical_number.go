package decisions

import (
	"bytes"
	"fmt"
	"strconv"
)

// number reads one number. Integers of up to 21 digits, which is most numbers, are
// their own canonical form.
func (p *canonicalizer) number() *SyntaxError {
	start := p.pos
	negative := p.take('-')
	whole := p.digits()
	switch {
	case len(whole) == 0:
		return p.unexpected("a digit")
	case len(whole) > 1 && whole[0] == '0':
		p.pos = start
		return p.fail("a number with a leading zero: drop it")
	}
	if c := p.peek(); c != '.' && c != 'e' && c != 'E' && len(whole) <= plainDigits && whole[0] != '0' {
		p.dst = append(p.dst, p.src[start:p.pos]...)
		return nil
	}
	var fraction []byte
	if p.take('.') {
		if fraction = p.digits(); len(fraction) == 0 {
			return p.unexpected("a digit")
		}
	}
	exponent, err := p.exponent()
	if err != nil {
		return err
	}
	return p.decimal(start, negative, whole, fraction, exponent)
}

// digits reads decimal digits, possibly none.
func (p *canonicalizer) digits() []byte {
	start := p.pos
	for p.pos < len(p.src) && '0' <= p.src[p.pos] && p.src[p.pos] <= '9' {
		p.pos++
	}
	return p.src[start:p.pos]
}

// exponent reads the exponent of a number; 0 where there is none.
func (p *canonicalizer) exponent() (int, *SyntaxError) {
	if !p.take('e') && !p.take('E') {
		return 0, nil
	}
	negative := p.take('-')
	if !negative {
		p.take('+')
	}
	digits := p.digits()
	if len(digits) == 0 {
		return 0, p.unexpected("a digit")
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) > 9 {
		return 0, p.fail(fmt.Sprintf("an exponent of %d digits: numbers go to e±%d", len(digits), MaxExponent))
	}
	exponent, _ := strconv.Atoi("0" + string(digits))
	if negative {
		exponent = -exponent
	}
	return exponent, nil
}

// decimal writes whole.fraction × 10^exponent.
func (p *canonicalizer) decimal(start int, negative bool, whole, fraction []byte, exponent int) *SyntaxError {
	digits := whole
	if len(fraction) > 0 {
		digits = append(append(make([]byte, 0, 64), whole...), fraction...)
	}
	point := len(whole) + exponent // The value is 0.digits × 10^point.
	trimmed := bytes.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	digits = bytes.TrimRight(trimmed, "0")
	switch {
	case len(digits) == 0:
		p.dst = append(p.dst, '0')
		return nil
	case len(digits) > MaxDigits:
		p.pos = start
		return p.fail(fmt.Sprintf("a number of %d significant digits: send at most %d", len(digits), MaxDigits))
	case point-1 > MaxExponent || point-1 < -MaxExponent:
		p.pos = start
		return p.fail(fmt.Sprintf("a number beyond e±%d: send a smaller exponent", MaxExponent))
	}
	if negative {
		p.dst = append(p.dst, '-')
	}
	p.dst = appendDecimal(p.dst, digits, point)
	return nil
}

// plainDigits is up to where ECMAScript writes an integer without an exponent.
const plainDigits = 21

// appendDecimal writes 0.digits × 10^point like Number::toString of ECMA-262, where
// digits neither starts nor ends with a zero.
func appendDecimal(dst, digits []byte, point int) []byte {
	k := len(digits)
	switch {
	case k <= point && point <= plainDigits:
		return zeros(append(dst, digits...), point-k)
	case 0 < point && point <= plainDigits:
		dst = append(append(dst, digits[:point]...), '.')
		return append(dst, digits[point:]...)
	case -6 < point && point <= 0:
		return append(zeros(append(dst, "0."...), -point), digits...)
	}
	dst = append(dst, digits[0])
	if k > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	dst = append(dst, 'e')
	if point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(point-1), 10)
}

func zeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
