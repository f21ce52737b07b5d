#include <stdio.h>

int main(void)
{
	return printf("1..0\n") < 0;
}
