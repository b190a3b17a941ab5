// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only program of the initramfs: loads and unloads the suites as a module, twice.
 *
 * The module runs its suites while it is loaded. What happens goes to the kernel log,
 * from where tools/kunit_gup/run/module_runs.py takes it. Built with the kernel's nolibc.
 * GUP_SEED=42 on the kernel's command line is in the environment here, and becomes the
 * parameter of the module.
 */
#define MODULE	"gup_kunit"
#define RUNS	2

static int log_fd;

static void say(const char *what, int run, long err)
{
	char line[80];
	int len;

	len = snprintf(line, sizeof(line), "<5>kunit-gup: run %d %s %ld\n",
		       run, what, err);
	write(log_fd, line, len);
}

static long load(void)
{
	int fd = open("/" MODULE ".ko", O_RDONLY);
	const char *seed = getenv("GUP_SEED");
	char params[32] = "";
	long ret = -ENOENT;

	if (seed)
		snprintf(params, sizeof(params), "seed=%s", seed);
	if (fd >= 0) {
		ret = _syscall(__NR_finit_module, fd, params, 0);
		close(fd);
	}
	return ret;
}

/* For gup_real_swap: a swap area on a RAM disk. */
static void swap_on(void)
{
	static union {
		char page[4096];
		struct {
			char boot[1024];
			unsigned int version, last_page, nr_badpages;
		};
	} header = { .version = 1, .last_page = 2047 };
	int fd = open("/swap", O_RDWR);

	memcpy(header.page + sizeof(header.page) - 10, "SWAPSPACE2", 10);
	if (fd >= 0) {
		write(fd, header.page, sizeof(header.page));
		close(fd);
	}
	say("swap", 0, _syscall(__NR_swapon, "/swap", 0));
}

int main(void)
{
	int run;

	log_fd = open("/kmsg", O_WRONLY);
	swap_on();
	for (run = 1; run <= RUNS; run++) {
		say("begins", run, 0);
		say("loaded", run, load());
		say("unloaded", run,
		    _syscall(__NR_delete_module, MODULE, O_NONBLOCK));
	}
	reboot(LINUX_REBOOT_CMD_RESTART);
	return 1;
}
