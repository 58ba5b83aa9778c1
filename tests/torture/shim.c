/* Make the n-th storage call below a folder fail, stop or end its programs; loaded by LD_PRELOAD (ld.so(8)).
 *
 * TORTURE_UNDER   The folder: calls on other paths are passed on and not counted.
 * TORTURE_COUNT   A file of eight bytes that all processes of a run map: the number of calls so far.
 * TORTURE_AT      The call to change, counted from 1; 0 changes none.
 * TORTURE_KIND    An error by its number (with "+": it and all later calls fail; with "+kill": the fourth such call kills),
 *                 "short", "kill" or "pause".
 * TORTURE_READS   "1": the calls that read are counted and changed, not those that write.
 * TORTURE_PAUSED  For "pause": this file is made, and waited for until somebody removes it (20 s at most).
 * TORTURE_LOCKS   "granted": every lock of a file is granted to everybody, as where locks do not work; "refused": no
 *                 flock(2) is there, as on a network file system without a lock daemon.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char under[PATH_MAX], paused[PATH_MAX];
static size_t length;
static uint64_t *count, at;
static int error_number, lasts, kills_later, is_short, is_kill, is_pause, locks_granted, locks_refused, reads, ready;

static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_access)(const char *, int);

__attribute__((constructor)) static void begin(void) {
    const char *value;
    real_open = dlsym(RTLD_NEXT, "open");
    real_openat = dlsym(RTLD_NEXT, "openat");
    real_write = dlsym(RTLD_NEXT, "write");
    real_access = dlsym(RTLD_NEXT, "access");
    locks_granted = (value = getenv("TORTURE_LOCKS")) && !strcmp(value, "granted");
    locks_refused = (value = getenv("TORTURE_LOCKS")) && !strcmp(value, "refused");
    if (!(value = getenv("TORTURE_UNDER"))) return;
    length = (size_t)snprintf(under, sizeof under, "%s/", value);
    if (!(value = getenv("TORTURE_COUNT"))) return;
    int fd = real_open(value, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (count == MAP_FAILED) return;
    if ((value = getenv("TORTURE_AT"))) at = strtoull(value, NULL, 10);
    if ((value = getenv("TORTURE_PAUSED"))) snprintf(paused, sizeof paused, "%s", value);
    if ((value = getenv("TORTURE_KIND"))) {
        is_short = !strcmp(value, "short");
        is_kill = !strcmp(value, "kill");
        is_pause = !strcmp(value, "pause");
        error_number = atoi(value);
        lasts = strchr(value, '+') != NULL;
        kills_later = strstr(value, "+kill") != NULL;
    }
    reads = (value = getenv("TORTURE_READS")) && !strcmp(value, "1");
    ready = 1;
}

static int is_below(int folder, const char *path) {
    char whole[PATH_MAX * 2], link[64];
    if (path[0] == '/') return !strncmp(path, under, length);
    ssize_t got;
    if (folder == AT_FDCWD) {
        if (!getcwd(whole, PATH_MAX)) return 0;
        got = (ssize_t)strlen(whole);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        if ((got = readlink(link, whole, PATH_MAX - 1)) < 0) return 0;
    }
    snprintf(whole + got, sizeof whole - (size_t)got, "/%s", path);
    return !strncmp(whole, under, length);
}

static int is_file_below(int fd) {
    char link[64], whole[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t got = readlink(link, whole, sizeof whole - 1);
    if (got < 0) return 0;
    whole[got] = 0;
    return !strncmp(whole, under, length);
}

/* Count one call; return whether it fails, with errno set. *is_cut tells that only a part may be written. */
static int turn(int *is_cut) {
    uint64_t number = __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    if (!at || number < at || (number > at && !lasts)) return 0;
    if (is_kill || (kills_later && number >= at + 3)) {
        kill(0, SIGKILL);
        raise(SIGKILL);
    }
    if (is_pause) {
        int fd = real_open(paused, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0) close(fd);
        for (int n = 0; n < 2000 && !real_access(paused, F_OK); n++) usleep(10000);
        return 0;
    }
    if (is_short) {
        if (is_cut) *is_cut = 1;
        return 0;
    }
    errno = error_number;
    return 1;
}

/* The same for a call about a name: none of them is interrupted, and a removal needs no room. */
static int name_turn(int removes) {
    if (error_number == EINTR || (removes && (error_number == ENOSPC || error_number == EDQUOT))) {
        __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
        return 0;
    }
    return turn(NULL);
}

#define NEXT(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
/* Whether a call of one sort is counted: one that changes something, or one that reads. */
#define COUNTS(is_reading) (ready && reads == (is_reading))
#define CHANGES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
        if (COUNTS(!(flags & CHANGES)) && is_below(AT_FDCWD, path) && turn(NULL)) return -1; \
        return real_open(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
        if (COUNTS(!(flags & CHANGES)) && is_below(folder, path) && turn(NULL)) return -1; \
        return real_openat(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *data, size_t size) {
    int is_cut = 0;
    if (COUNTS(0) && is_file_below(fd) && turn(&is_cut)) return -1;
    return real_write(fd, data, is_cut && size > 1 ? size / 2 : size);
}
#define PWRITE(name) \
    ssize_t name(int fd, const void *data, size_t size, off_t offset) { \
        NEXT(ssize_t, "pwrite64", int, const void *, size_t, off_t); \
        int is_cut = 0; \
        if (COUNTS(0) && is_file_below(fd) && turn(&is_cut)) return -1; \
        return real(fd, data, is_cut && size > 1 ? size / 2 : size, offset); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t read(int fd, void *data, size_t size) {
    NEXT(ssize_t, "read", int, void *, size_t);
    return COUNTS(1) && is_file_below(fd) && turn(NULL) ? -1 : real(fd, data, size);
}
#define PREAD(name) \
    ssize_t name(int fd, void *data, size_t size, off_t offset) { \
        NEXT(ssize_t, "pread64", int, void *, size_t, off_t); \
        return COUNTS(1) && is_file_below(fd) && turn(NULL) ? -1 : real(fd, data, size, offset); \
    }
PREAD(pread)
PREAD(pread64)

#define ON_FILE(name, next) \
    int name(int fd) { \
        NEXT(int, next, int); \
        return COUNTS(0) && is_file_below(fd) && turn(NULL) ? -1 : real(fd); \
    }
ON_FILE(fsync, "fsync")
ON_FILE(fdatasync, "fdatasync")
#define TRUNCATE(name) \
    int name(int fd, off_t size) { \
        NEXT(int, "ftruncate64", int, off_t); \
        return COUNTS(0) && is_file_below(fd) && turn(NULL) ? -1 : real(fd, size); \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char *from, const char *to) {
    NEXT(int, "rename", const char *, const char *);
    return COUNTS(0) && is_below(AT_FDCWD, to) && name_turn(0) ? -1 : real(from, to);
}
int link(const char *from, const char *to) {
    NEXT(int, "link", const char *, const char *);
    return COUNTS(0) && is_below(AT_FDCWD, to) && name_turn(0) ? -1 : real(from, to);
}
int unlink(const char *path) {
    NEXT(int, "unlink", const char *);
    return COUNTS(0) && is_below(AT_FDCWD, path) && name_turn(1) ? -1 : real(path);
}
int rmdir(const char *path) {
    NEXT(int, "rmdir", const char *);
    return COUNTS(0) && is_below(AT_FDCWD, path) && name_turn(1) ? -1 : real(path);
}
int mkdir(const char *path, mode_t mode) {
    NEXT(int, "mkdir", const char *, mode_t);
    return COUNTS(0) && is_below(AT_FDCWD, path) && name_turn(0) ? -1 : real(path, mode);
}

int flock(int fd, int operation) {
    NEXT(int, "flock", int, int);
    if (locks_refused) {
        errno = ENOLCK;
        return -1;
    }
    return locks_granted ? 0 : real(fd, operation);
}
#define FCNTL(name) \
    int name(int fd, int command, ...) { \
        NEXT(int, "fcntl64", int, int, ...); \
        va_list rest; \
        va_start(rest, command); \
        void *value = va_arg(rest, void *); \
        va_end(rest); \
        if (locks_granted && (command == F_SETLK || command == F_SETLKW)) return 0; \
        if (locks_granted && command == F_GETLK) { ((struct flock *)value)->l_type = F_UNLCK; return 0; } \
        return real(fd, command, value); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
