// SPDX-License-Identifier: GPL-2.0-only
/*
 * The init of `make kselftest`: runs the commands of the file /tests one after the other.
 *
 * A line of it is "SECONDS PROGRAM ARGUMENTS"; what takes longer is killed. What the programs
 * print goes to the console, between "kunit-gup: begin" and "kunit-gup: end", where
 * tools/kunit_gup/measure/kselftest.py takes it. The kernel's own messages would get into the
 * middle of their lines: they are kept from the console, unless it dies, and printed after each
 * command.
 * Built with the kernel's nolibc.
 */
#include <sys/mount.h>
#include <sys/wait.h>

#define MAX_ARGS	16
#define HUNG		(-1)
#define TICK_MS		50
#define CONSOLE_OFF	6	/* syslog(2) */

static char tests[16384];
static int messages;			/* of the kernel, as records */
static char * const environment[] = { "PATH=/", "HOME=/tmp", "TERM=dumb", NULL };

/* Run a command for at most so many seconds; return its exit code, 128 and the signal, or HUNG. */
static int run(char **argv, int seconds)
{
	int status, left = seconds * 1000;
	pid_t pid = fork();

	if (!pid) {
		setsid();
		execve(argv[0], argv, environment);
		exit(127);
	}
	for (; left > 0; left -= TICK_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		usleep(TICK_MS * 1000);
	}
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	return HUNG;
}

/* Print the kernel's messages since the last time. */
static void print_messages(void)
{
	static char record[8192];
	ssize_t len;
	char *text;

	for (;;) {
		len = read(messages, record, sizeof(record) - 1);
		if (len < 0 && errno == EPIPE)	/* some were overwritten */
			continue;
		if (len <= 0)
			return;
		record[len] = '\0';
		text = strchr(record, ';');
		printf("%s", text ? text + 1 : record);
	}
}

/* Run the command in one line of the file. */
static void run_line(char *line)
{
	char *argv[MAX_ARGS + 1], *p = line;
	int argc = 0, code, seconds = atoi(line);

	printf("kunit-gup: begin %s\n", strchr(line, ' ') + 1);
	while ((p = strchr(p, ' ')) && argc < MAX_ARGS) {
		*p++ = '\0';
		argv[argc++] = p;
	}
	argv[argc] = NULL;
	code = run(argv, seconds);
	if (code == HUNG)
		printf("\nkunit-gup: end hung\n");
	else
		printf("\nkunit-gup: end %d\n", code);
	print_messages();
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void prepare(void)
{
	mount("none", "/proc", "proc", 0, NULL);
	mount("none", "/sys", "sysfs", 0, NULL);
	mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("none", "/dev", "devtmpfs", 0, NULL);
	mount("none", "/tmp", "tmpfs", 0, NULL);
	mkdir("/dev/shm", 0777);
	mount("none", "/dev/shm", "tmpfs", 0, NULL);
	messages = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (messages < 0 || _syscall(__NR_syslog, CONSOLE_OFF, NULL, 0))
		printf("kunit-gup: the kernel's messages will be in between\n");
}

int main(void)
{
	int fd = open("/tests", O_RDONLY);
	char *line, *next;

	prepare();
	if (fd < 0 || read(fd, tests, sizeof(tests) - 1) <= 0)
		printf("kunit-gup: no tests\n");
	for (line = tests; (next = strchr(line, '\n')); line = next + 1) {
		*next = '\0';
		run_line(line);
	}
	printf("kunit-gup: done\n");
	reboot(LINUX_REBOOT_CMD_RESTART);
	return 1;
}
