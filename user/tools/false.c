/* SPDX-License-Identifier: MIT */
/* Does nothing, badly. */
int main(void)
{
	return 1;
}
