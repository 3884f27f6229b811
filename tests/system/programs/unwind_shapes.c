/* SPDX-License-Identifier: MIT */
/* Functions whose frames compilers lay out in different ways: what unwind tables have to describe.
 */
int call(int, ...);
void with_doubles(double *, int);
void release(int *);
int inner_user(int (*)(int));

int leaf(int a)
{
	return a * 3;
}

int two_calls(int a, int b)
{
	int first = call(a);

	return first + call(b);
}

int many_registers(int a, int b, int c, int d, int e, int f, int g)
{
	int r = call(a, b, c);

	r += call(d, e, f, g, r);
	r += call(a ^ b ^ c ^ d ^ e ^ f ^ g, r);
	return r + a + b + c + d + e + f + g;
}

int variadic(int n, ...)
{
	__builtin_va_list ap;
	int r;

	__builtin_va_start(ap, n);
	r = call(__builtin_va_arg(ap, int));
	__builtin_va_end(ap);
	return r + call(n);
}

int variable_size(int n)
{
	char buffer[n];

	return call((int)buffer) + call(n);
}

int large_frame(int n)
{
	char buffer[5000];

	return call((int)buffer, n) + call(n);
}

int larger_frame(int n)
{
	char buffer[200000];

	return call((int)buffer, n) + call(n);
}

double doubles(double a, double b, int n)
{
	double x[3] = {a, b, a * b};

	with_doubles(x, n);
	a += x[0] * b;
	with_doubles(x, n + 1);
	return a * x[1] + b * x[2];
}

int aligned(int n)
{
	int buffer[8] __attribute__((aligned(64)));

	return call((int)buffer, n) + call(buffer[n & 7]);
}

/* With -fexceptions this has a personality routine of its own. */
int cleaned_up(int n)
{
	int resource __attribute__((cleanup(release))) = call(n);

	return call(resource) + n;
}

int nested(int n)
{
	int inner(int m)
	{
		return call(n, m);
	}

	return inner_user(inner) + n;
}

int early_return(const int *p)
{
	if (!p)
		return 0;
	return call(*p) + call(p[1]);
}
