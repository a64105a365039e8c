/* Preloaded into the daemon under test: makes its journal's disk fail on command.
 *
 * The first word of the file $PENDING_FAULT_FILE says what each call on a file named pending.db* does from then on:
 *   EIO, ENOSPC   fails so, after having written nothing
 *   torn          a write takes half of its bytes and then fails with EIO
 *   syncs         only fsync and fdatasync fail, with EIO; what was written stays
 *   slow          fsync and fdatasync take five seconds
 * Anything else, or no file: nothing happens.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_journal(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "/pending.db") != NULL;
}

/* The command of this moment; empty if there is none, or if the descriptor is not the journal's. */
static void command(int descriptor, char word[16]) {
    word[0] = 0;
    const char *file = getenv("PENDING_FAULT_FILE");
    if (!file || !is_journal(descriptor)) return;
    int commands = open(file, O_RDONLY | O_CLOEXEC);
    if (commands < 0) return;
    ssize_t length = read(commands, word, 15);
    close(commands);
    word[length < 0 ? 0 : length] = 0;
    word[strcspn(word, " \n")] = 0;
}

static int fails(const char *word) {
    if (!strcmp(word, "EIO")) errno = EIO;
    else if (!strcmp(word, "ENOSPC")) errno = ENOSPC;
    else return 0;
    return 1;
}

static ssize_t faulty_write(int descriptor, const void *bytes, size_t count, off_t offset, const char *name) {
    ssize_t (*original)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, name);
    char word[16];
    command(descriptor, word);
    if (fails(word)) return -1;
    if (!strcmp(word, "torn")) {
        (void)!original(descriptor, bytes, count / 2, offset);
        errno = EIO;
        return -1;
    }
    return original(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return faulty_write(descriptor, bytes, count, offset, "pwrite");
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return faulty_write(descriptor, bytes, count, offset, "pwrite64");
}

static int faulty_sync(int descriptor, const char *name) {
    int (*original)(int) = dlsym(RTLD_NEXT, name);
    char word[16];
    command(descriptor, word);
    if (fails(word)) return -1;
    if (!strcmp(word, "syncs")) {
        errno = EIO;
        return -1;
    }
    if (!strcmp(word, "slow")) sleep(5);
    return original(descriptor);
}

int fsync(int descriptor) { return faulty_sync(descriptor, "fsync"); }
int fdatasync(int descriptor) { return faulty_sync(descriptor, "fdatasync"); }

int ftruncate64(int descriptor, off_t length) {
    int (*original)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate64");
    char word[16];
    command(descriptor, word);
    return fails(word) ? -1 : original(descriptor, length);
}
