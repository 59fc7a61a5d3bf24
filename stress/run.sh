#!/bin/sh
# make stress: the long forms of the tests that have one, with their controls, and each fuzz target for
# $FUZZTIME. What is timed comes first and alone, then two jobs at a time, the longest first. The log of
# each is bin/stress/JOB.log. No race detector: it is on in make test, and what is tested here is for
# the most part the real binary, which is better killed often than slowly.
set -u
cd "$(dirname "$0")/.." || exit 1
GO=${GO:-go} FUZZTIME=${FUZZTIME:-60s} CHATVAULT_STRESS=1
export GO FUZZTIME CHATVAULT_STRESS
logs=bin/stress

# job NAME ARGUMENTS: one run of go test, told of in a line, and in those that its tests log where
# they have figures.
if [ "${1-}" = job ]; then
	name=$2 log=$logs/$2.log status=ok
	shift 2
	begun=$(date +%s)
	$GO test -count 1 -timeout 40m "$@" >"$log" 2>&1 || status=FAIL
	took=$(($(date +%s) - begun))
	case $name in # the controls, and that they are there
	kills | steps) grep -q 'the control fails as it must' "$log" || status='FAIL (no control was seen to fail)' ;;
	esac
	times >"$logs/$name.times" # its second line is of the processes that were waited for: user, system
	printf '%-40s %-4s %3d min %02d s, on the cores %s\n' "$name" "$status" $((took / 60)) $((took % 60)) \
		"$(sed -n '2s/\([0-9]\)\.[0-9]*s/\1s/gp' "$logs/$name.times")"
	case $name in
	timed-bounds) grep '^ *bounds_chat_test\.go:' "$log" ;;
	timed | day | kills | steps | others) grep '^ *[a-z_]*_test\.go:' "$log" | cut -c 1-400 ;;
	fuzz*) tail -n 2 "$log" | sed -n 's/^fuzz/    fuzz/p' ;;
	esac
	sed -n 's/^ *--- SKIP: \([^ ]*\).*/    not tried on this machine: \1/p' "$log"
	[ "$status" = ok ] && exit 0
	echo "$name failed; what it said is in $log:"
	grep -e '--- FAIL' -e '^panic' "$log"
	grep -v -e '^=== ' -e '^ *--- ' "$log" | tail -n 60
	exit 1
fi

rm -rf $logs && mkdir -p $logs || exit 1
begun=$(date +%s) failed=0
once='^(TestADay|TestKilledAtAnyInstant|TestNaiveWriterFailsAtAnyInstant|TestKilledAtEachStep|TestNaiveWriterFails|TestNextStart|TestSignalsKeepEverything|TestPanicsInTheChat|TestPanicsAtTheStart)$'
bounds='^(TestHugeNotes|TestHugeTrees|TestChatStaysQuick)$'

sh "$0" job timed -v -parallel 1 -run '^(TestNextStart|TestSignalsKeepEverything|TestPanicsInTheChat|TestPanicsAtTheStart)$' ./stress || failed=1
sh "$0" job timed-bounds -v -run "$bounds" ./internal/e2e || failed=1
{
	echo "day -v -run '^TestADay\$' ./stress"
	echo "kills -v -run 'AnyInstant\$' ./stress"
	for dir in $(git grep -l --untracked CHATVAULT_STRESS -- '*_test.go' | xargs -n 1 dirname | sort -r -u | grep -v '^stress$'); do
		echo "$(echo "$dir" | tr / -) -v -skip '$bounds' ./$dir"
	done
	echo "steps -v -run '^(TestKilledAtEachStep|TestNaiveWriterFails)\$' ./stress"
	echo "others -v -skip '$once' ./stress"
	for dir in $(git grep -l --untracked '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u); do
		sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$dir"/*_test.go | while read -r target; do
			echo "fuzz-$(echo "$dir" | tr / -)-$target -run '^\$' -fuzz '^$target\$' -parallel 1 -fuzztime $FUZZTIME ./$dir"
		done
	done
} >$logs/jobs
xargs -P 2 -L 1 sh "$0" job <$logs/jobs || failed=1

took=$(($(date +%s) - begun))
printf 'all of it took %d min %02d s\n' $((took / 60)) $((took % 60))
exit $failed
