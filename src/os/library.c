#include "os/library.h"

#include <dlfcn.h>
#include <string.h>

int library_load(const struct library *lib, struct err *err)
{
	void *handle = dlopen(lib->file, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return err_set(err, E_NOTFOUND, "%s is not installed: apt install %s (%s)",
			       lib->name, lib->package, dlerror());
	for (size_t i = 0; i < lib->n; i++) {
		void *fn = dlsym(handle, lib->functions[i].name);

		if (!fn)
			return err_set(err, E_NOTFOUND,
				       "the installed %s is too old: it lacks %s()", lib->name,
				       lib->functions[i].name);
		/* POSIX lets dlsym() return functions, C does not let a pointer say so. */
		memcpy((char *)lib->into + lib->functions[i].at, &fn, sizeof fn);
	}
	return 0;
}
