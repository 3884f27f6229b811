/* SPDX-License-Identifier: MIT */
/* Does nothing, well. */
int main(void)
{
	return 0;
}
