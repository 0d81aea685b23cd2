/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an explanation says: each scene of scenes_*.c fails in its own way, and the sentences that matter are there. A
 * scene that this driver cannot show says why.
 *
 *   test_explain                 the tests, one for each scene
 *   test_explain --list          the names of the scenes
 *   test_explain --scene <name>  what the explanation of that one says
 */
#include "scenes.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void assertSays(const char *text, const struct scene *scene)
{
    const char *at = text;
    for (size_t i = 0; i < sizeof(scene->says) / sizeof(scene->says[0]) && scene->says[i]; i++) {
        const char *const found = strstr(at, scene->says[i]);
        if (found)
            at = found + strlen(scene->says[i]);
        else
            fail_msg("\"%s\" is not in:\n%s", scene->says[i], text);
    }
}

static void skipUnlessShown(const struct scene *scene, int deviceCount)
{
    const char *const why = sceneCannot(scene, deviceCount);
    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
}

static int tidy(void **state)
{
    (void)state;
    sceneTidy();
    return 0;
}

static struct world *theWorld; /* not in cmocka's state, which holds each test's scene */

static int setUp(void **state)
{
    void *world = NULL;
    (void)state;
    const int result = worldSetUp(&world);
    theWorld = world;
    return result;
}

static int tearDown(void **state)
{
    void *world = theWorld;
    (void)state;
    return world ? worldTearDown(&world) : 0;
}

static void explains(void **state)
{
    const struct scene *const scene = *state;
    skipUnlessShown(scene, theWorld->deviceCount);
    const struct stack before = stackNow();
    sceneFail(scene, theWorld);
    assertSays(sceneExplained(), scene);
    assertStackIs(&before);
}

/* What this program, started anew, prints for a scene. */
static const char *explainedElsewhere(const char *name)
{
    static char text[8192];
    int ends[2];
    int status = 0;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execl("/proc/self/exe", "test_explain", "--scene", name, (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    for (ssize_t got = 1; got > 0 && length<sizeof(text) - 1; length += got> 0 ? (size_t)got : 0)
        got = read(ends[0], text + length, sizeof(text) - 1 - length);
    text[length] = '\0';
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return text;
}

static void explainsInAProcessOfItsOwn(void **state)
{
    const struct scene *const scene = *state;
    skipUnlessShown(scene, 1);
    assertSays(explainedElsewhere(scene->name), scene);
}

/* ---- What holds for every scene ---- */

/* A text is whole: it names the call, gives a verdict, and ends its last line. */
static void assertWhole(const char *text)
{
    const size_t length = strlen(text);
    assert_true(length > 0 && text[length - 1] == '\n');
    assert_null(strstr(text, "(null)"));
    assert_true(strstr(text, "ause: ") || strstr(text, "not known to cucopy"));
}

/* From no room to more than enough: as snprintf, and not a byte too far. */
static void a_text_is_cut_where_the_room_ends(void **state)
{
    (void)state;
    sceneFail(sceneNamed("a_size_past_the_end_of_the_destination"), theWorld);
    const char *const whole = sceneExplained();
    const size_t length = strlen(whole);
    assert_int_equal(cucopyExplain(NULL, NULL, 0), length);
    for (size_t size = 0; size <= length + 2; size++) {
        char *const text = malloc(size + 1); /* ASan watches its end */
        assert_non_null(text);
        memset(text, 'x', size + 1);
        assert_int_equal(cucopyExplain(NULL, text, size), length);
        const size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        assert_memory_equal(text, whole, kept);
        if (size)
            assert_int_equal(text[kept], '\0');
        assert_int_equal(text[size], 'x');
        free(text);
    }
}

/* Those that need no process of their own. */
static const struct scene *nthScene(size_t n)
{
    if (n < stateSceneCount)
        return &stateScenes[n];
    n -= stateSceneCount;
    if (n < pointerSceneCount)
        return &pointerScenes[n];
    n -= pointerSceneCount;
    return n < batchSceneCount ? &batchScenes[n] : NULL;
}

static const char *const queries[] = {
    "cuPointerGetAttributes",
    "cuMemGetAddressRange_v2",
    "cuMemGetAccess",
    "cuDeviceGetCount",
    "cuCtxGetId",
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxGetDevice_v2",
    "cuDeviceCanAccessPeer",
    "cuGetErrorString",
    "cuStreamIsCapturing",
    "cuDriverGetVersion",
};

/* The nth call of each query fails, and in another round all from there on. */
static void an_explanation_is_whole_whichever_of_its_queries_fails(void **state)
{
    (void)state;
    const struct simulator *const sim = needSimulator();
    size_t tried = 0;
    for (size_t n = 0; nthScene(n); n++) {
        if (sceneCannot(nthScene(n), theWorld->deviceCount))
            continue;
        sceneFail(nthScene(n), theWorld);
        sim->refuseNone();
        for (size_t q = 0; q < sizeof(queries) / sizeof(queries[0]); q++) {
            sim->resetCalls();
            assertWhole(sceneExplained());
            const unsigned long calls = sim->calls(queries[q]);
            for (unsigned long nth = 1; nth <= calls; nth++) {
                for (int onwards = 0; onwards < 2; onwards++) {
                    sim->refuse(queries[q], nth, CUDA_ERROR_UNKNOWN, onwards);
                    assertWhole(sceneExplained());
                    sim->refuseNone();
                    tried++;
                }
            }
        }
        sceneTidy();
    }
    assert_true(tried > 100);
}

/* The same while the record is taken: the call's own result is what it was, and the stack too. */
static void a_record_is_whole_whichever_of_its_queries_fails(void **state)
{
    (void)state;
    const struct simulator *const sim = needSimulator();
    const CUdeviceptr memory = plainMemory(theWorld->away, sceneBytes);
    must(cudrvCtxPushCurrent(theWorld->home));
    const struct stack before = stackNow();
    for (size_t q = 0; q < sizeof(queries) / sizeof(queries[0]); q++) {
        for (unsigned long nth = 1; nth <= 4; nth++) {
            const int own = strcmp(queries[q], "cuCtxGetCurrent") == 0 && nth == 1; /* the copy's own */
            sim->refuse(queries[q], nth, CUDA_ERROR_UNKNOWN, true);
            const CUresult result = cucopyMemcpyDtoDAsync(memory, memory, SIZE_MAX, theWorld->awayStream);
            sim->refuseNone();
            assert_int_equal(result, own ? CUDA_ERROR_UNKNOWN : CUDA_ERROR_INVALID_VALUE);
            assertStackIs(&before);
            assertWhole(sceneExplained());
        }
    }
    must(cudrvCtxPopCurrent(NULL));
}

/* ---- Records that are no records ---- */

static size_t explained(const cucopyFailure *failure)
{
    char text[4096];
    const size_t length = cucopyExplain(failure, text, sizeof(text));
    assert_int_equal(strlen(text), length);
    return length;
}

static void pointers_that_are_none_do_no_harm(void **state)
{
    (void)state;
    static const CUdeviceptr wild[] = {1, 0x10, 0x7fff00000000, (CUdeviceptr)-1, (CUdeviceptr)1 << 63};
    static const char *const functions[] = {"cucopyMemcpyAsync", "cucopyMemcpy3DAsync", "cuMemcpyBatchAsync", "", NULL};
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++)
        for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
            cucopyFailure failure = CUCOPY_FAILURE_INIT;
            failure.function = functions[f];
            failure.step = CUCOPY_STEP_COPY;
            failure.result = CUDA_ERROR_INVALID_VALUE;
            failure.dst = wild[i];
            failure.src = (CUdeviceptr)(uintptr_t)&failure;
            failure.bytes = (size_t)wild[i];
            failure.stream = (CUstream)(uintptr_t)wild[i];
            failure.streamContext = failure.currentContext = (CUcontext)(uintptr_t)wild[i];
            failure.dstSide.context = failure.srcSide.context = failure.currentContext;
            assert_true(explained(&failure) > 0);
            failure.width = failure.height = failure.depth = (size_t)wild[i];
            failure.dstSide.pitch = failure.dstSide.rows = failure.dstSide.x = failure.dstSide.y = failure.dstSide.z =
                (size_t)wild[i];
            failure.dstSide.array = (CUarray)(uintptr_t)wild[i];
            assert_true(explained(&failure) > 0);
        }
}

static void any_step_and_any_result_is_explained(void **state)
{
    (void)state;
    for (int result = 0; result < 1000; result++)
        for (int step = -1; step < 8; step++) {
            cucopyFailure failure = CUCOPY_FAILURE_INIT;
            failure.function = step % 2 ? "cucopyMemcpyAsync" : "cucopyGuardExit";
            failure.result = (CUresult)result;
            failure.step = (cucopyStep)step;
            failure.capture = (cucopyCapture)step;
            assert_true(explained(&failure) > 0);
        }
}

static void a_record_of_an_older_version_is_explained_as_far_as_it_goes(void **state)
{
    (void)state;
    const size_t most = sizeof(cucopyFailure);
    for (size_t size = 0; size <= most; size++) {
        unsigned char *const bytes = malloc(size > sizeof(size_t) ? size : sizeof(size_t)); /* ASan watches its end */
        const cucopyFailure none = CUCOPY_FAILURE_INIT;
        memcpy(bytes, &none, size);
        memcpy(bytes, &size, sizeof(size));
        char text[4096];
        assert_true(cucopyExplain((const cucopyFailure *)(const void *)bytes, text, sizeof(text)) > 0);
        free(bytes);
    }
}

static void a_thread_without_a_failure_says_so(void **state)
{
    (void)state;
    assert_string_equal(explainedElsewhere("--none"), "No call of cucopy has failed on this thread.\n");
}

/* ---- The program ---- */

static int show(const char *name)
{
    const struct scene *const scene = sceneNamed(name);
    void *world = NULL;
    if (strcmp(name, "--none") == 0) {
        (void)fputs(sceneExplained(), stdout);
        return 0;
    }
    if (!scene)
        return 2;
    if (!(scene->needs & NEEDS_A_PROCESS) && worldSetUp(&world) != 0)
        return 1;
    sceneFail(scene, world);
    (void)fputs(sceneExplained(), stdout);
    (void)fflush(stdout);
    _exit(0); /* as the scene left it */
}

int main(int argumentCount, char **arguments)
{
    enum { maxTests = 128 };
    static struct CMUnitTest tests[maxTests] = {
        cmocka_unit_test_teardown(a_text_is_cut_where_the_room_ends, tidy),
        cmocka_unit_test_teardown(an_explanation_is_whole_whichever_of_its_queries_fails, tidy),
        cmocka_unit_test_teardown(a_record_is_whole_whichever_of_its_queries_fails, tidy),
        cmocka_unit_test(pointers_that_are_none_do_no_harm),
        cmocka_unit_test(any_step_and_any_result_is_explained),
        cmocka_unit_test(a_record_of_an_older_version_is_explained_as_far_as_it_goes),
        cmocka_unit_test(a_thread_without_a_failure_says_so),
    };
    size_t count = 7;
    if (argumentCount == 3 && strcmp(arguments[1], "--scene") == 0)
        return show(arguments[2]);
    for (size_t n = 0; nthScene(n); n++)
        tests[count++] = (struct CMUnitTest){nthScene(n)->name, explains, NULL, tidy, (void *)(uintptr_t)nthScene(n)};
    for (size_t n = 0; n < processSceneCount; n++)
        tests[count++] = (struct CMUnitTest){processScenes[n].name, explainsInAProcessOfItsOwn, NULL, NULL,
                                             (void *)(uintptr_t)&processScenes[n]};
    if (argumentCount == 2 && strcmp(arguments[1], "--list") == 0) {
        for (size_t n = 7; n < count; n++)
            (void)puts(tests[n].name);
        return 0;
    }
    return _cmocka_run_group_tests("test_explain", tests, count, setUp, tearDown);
}
