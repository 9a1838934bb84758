# SPDX-License-Identifier: MIT
"""`kernelgate gate --slurm` on a real Slurm of one node, which this starts and ends: shards that are green or red, run out of
time, are preempted, or lose their node. The project's build and its ctest are stand-ins, which cost nothing. Exits with 77 where
Slurm cannot be started."""

import contextlib
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from own_folder import write_file
from run_fixture import COMMAND, Runs

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "unshare")
# With it end all processes of its namespace, the tasks and their keepers, as by a power cut.
NODE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
TESTS = ("model.a.check", "model.b.check")  # a shard each
SECONDS = 60  # for anything that is waited for

CONF = """\
ClusterName=kernelgate
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=5
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=normal Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=5 PreemptMode=OFF
PartitionName=requeued Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
PartitionName=canceled Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=CANCEL
PartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=9 PreemptMode=OFF
"""

# Makes the build that needs no building.
CMAKE = """\
#!/bin/sh
mkdir -p build/cpu
echo {command} >build/cpu/kernelgate.path
echo build/cpu/fake.model >build/cpu/kernelgate.programs
printf '#!/bin/sh\\ncat {folder}/tables.json\\n' >build/cpu/fake.model
chmod +x build/cpu/fake.model
"""

# Lists the tests, or runs the chosen ones: each runs its hook, which may print a verdict that is not "pass".
CTEST = """\
#!/usr/bin/env python3
import json, os, subprocess, sys
options = dict(zip(sys.argv[1:], sys.argv[2:] + [""]))
tests = {tests!r}
if "--show-only=json-v1" in options:
    print(json.dumps({{"tests": [{{"name": name}} for name in tests]}}))
    sys.exit()
subprocess.run([{command!r}, "begin"], check=True)
report = []
for name in [tests[int(number) - 1] for number in options["--tests-information"].split(",")[3:]]:
    hook = f"{folder}/hooks/{{os.environ['SLURM_JOB_NAME']}}/{{name}}"
    verdict = subprocess.run(["/bin/sh", hook], capture_output=True, text=True).stdout.strip() if os.path.exists(hook) else ""
    entry = {{"case": name.split(".")[1] + "/v/1/-", "target": "cpu-model", "part": "check", "seconds": 0.1, "verdict": verdict or "pass", "why": verdict}}
    with open(f"{{os.environ['KG_OUT']}}/records/{{name}}.verdicts.json", "w") as file:
        json.dump({{"schema": "kernelgate-verdicts/1", "test": name, "complete": True, "exit_code": 1 if verdict else 0, "target": {{"key": "cpu-model"}},
                   "cases": [entry]}}, file)
    report.append(f'<testcase name="{{name}}" status="{{"fail" if verdict else "run"}}"/>')
with open(options["--output-junit"], "w") as file:
    file.write(f"<testsuite>{{''.join(report)}}</testsuite>")
sys.exit(8 if "fail" in "".join(report) else 0)
"""


def missing():
    """Why there can be no Slurm here; "" if there can."""
    absent = [name for name in PROGRAMS if not shutil.which(name)]
    if os.geteuid() or absent:
        return f"no {', '.join(absent)}: install slurm-wlm and munge" if absent else "not root, who starts a cluster"
    done = subprocess.run([*NODE, "true"], capture_output=True, text=True, check=False)
    return f"no node can be made: {done.stderr.strip()}" if done.returncode else ""


def wait_for(condition, what):
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {SECONDS} s for {what}")
        time.sleep(0.1)


class Cluster:
    """A Slurm of one node in a folder."""

    def __init__(self, folder):
        self.folder, self.daemons, self.node = folder, {}, socket.gethostname().partition(".")[0]
        for name in ("munge", "state", "spool"):
            os.makedirs(f"{folder}/{name}", mode=0o700)
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
            for one in sockets:
                one.bind(("127.0.0.1", 0))
            ports = [one.getsockname()[1] for one in sockets]
        write_file(f"{folder}/slurm.conf", CONF.format(host=self.node, folder=folder, ports=ports))
        with open(f"{folder}/munge/key", "wb") as file:
            os.fchmod(file.fileno(), 0o400)
            file.write(os.urandom(1024))
        os.environ["SLURM_CONF"] = f"{folder}/slurm.conf"
        munge = f"{folder}/munge/"
        self.start("munged", "--foreground", "--force", f"--socket={munge}socket", f"--key-file={munge}key", f"--log-file={munge}log",
                   f"--pid-file={munge}pid", f"--seed-file={munge}seed")
        wait_for(lambda: os.path.exists(f"{munge}socket"), "munged")
        self.start("slurmctld", "-D")
        self.start(*NODE, "slurmd", "-D")
        wait_for(lambda: self.ask("sinfo", "-h", "-o", "%T").strip() == "idle", f"Slurm: see {folder}/*.log")

    def start(self, name, *options):
        with open(f"{self.folder}/{name}.log", "ab") as log:
            self.daemons[name] = subprocess.Popen([shutil.which(name), *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ask(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def state(self, job):
        """The states of a job's tasks, by shard."""
        lines = self.ask("squeue", "-h", "-t", "all", "-j", job, "-o", "%K %T").split("\n")
        return dict(line.split() for line in lines if line)

    def keeps(self, task):
        """Whether a keeper of a task has not ended. What it reports last, the exit code, would end a second attempt."""
        title = b"slurmstepd: [%s." % self.ask("squeue", "-h", "-t", "all", "-j", task, "-o", "%A").strip().encode()
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                if file.read().startswith(title):
                    return True
        return False

    def update(self, what, **changes):
        self.ask("scontrol", "update", what, *(f"{name}={value}" for name, value in changes.items()))

    def end(self, name):
        self.daemons[name].kill()
        self.daemons[name].wait()

    def stop(self):
        for name in self.daemons:
            self.end(name)


class Slurm(Runs):
    def setUp(self):
        super().setUp()
        self.cluster = Cluster(self.at("cluster"))
        self.addCleanup(self.cluster.stop)
        self.set(PATH=f"{self.at('bin')}:{os.environ['PATH']}", KG_OUT=None, KG_BASELINES=None, TMPDIR=self.at("tmp"), SLURM_CONF=os.environ["SLURM_CONF"])
        os.mkdir("tmp")
        self.write("tables.json", {"tests": [{"test": test, "cases": [f"{test[6]}/v/1/-"]} for test in TESTS]})
        self.write_script("bin/cmake", CMAKE.format(command=COMMAND, folder=self.folder))
        self.write_script("bin/ctest", CTEST.format(command=COMMAND, tests=TESTS, folder=self.folder))

    def hook(self, name, test, line):
        self.write(f"hooks/{name}/{test}", line + "\n")

    def make_project(self, name):
        os.makedirs(f"{name}/kernels")
        self.copy_front("gate", name)
        self.write(f"{name}/CMakePresets.json", "{}")

    def make_checkout(self, name):
        """A project in a folder of a checkout, with a change and a file that are not committed; the commit."""
        self.make_project(name)
        self.write(f"{name}/tracked", "before")
        self.write(".gitignore", "cluster\nhooks\ntmp\n*.log\nout\nbuild\n")
        git = ("git", "-c", "user.name=x", "-c", "user.email=x@y", "-c", "init.defaultBranch=main", "-c", "safe.directory=*")
        for words in (("init", "-q"), ("add", ".gitignore", name), ("commit", "-q", "-m", "x")):
            subprocess.run([*git, *words], check=True, env=self.environment)
        self.write(f"{name}/tracked", "after")
        self.write(f"{name}/untracked", "")
        self.hook(name, TESTS[0], "[ -e untracked -a \"$(cat tracked)\" = after -a ! -e out ] || echo wrong")
        return subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True, env=self.environment).stdout.strip()

    def submit(self, name, *options):
        """Starts a gate in a project of its own, whose job has this name; the process and the job."""
        if not os.path.exists(name):
            self.make_project(name)
        log = open(f"{name}.log", "w", encoding="utf-8")
        self.addCleanup(log.close)
        gate = subprocess.Popen(["ci/gate", "--target", "model", "--slurm", "2", "--", f"--job-name={name}", *options], cwd=name, stdout=log,
                                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(gate.kill)
        wait_for(lambda: gate.poll() is not None or "job " in self.read(f"{name}.log"), f"the job {name}")
        return gate, re.search("job ([0-9]+) of 2 shards", self.read(f"{name}.log"))[1]

    def hung(self, name):
        """A shard that does not end by itself in its first attempt has begun."""
        mark = self.at(f"{name}.begun")
        self.hook(name, TESTS[1], f"[ -e {mark} ] || {{ touch {mark}; exec sleep 300; }}")
        return lambda: os.path.exists(mark)

    def wait_until_hung(self, begun, job):
        wait_for(lambda: begun() and self.cluster.state(job).get("1") == "COMPLETED", f"the shards of job {job}")

    def expect_end(self, name, gate, code, *told, merged=2):
        """How a gate ends, and its results."""
        ended, logs = gate.wait(SECONDS), glob.glob(f"{name}/out/slurm/*.log")
        self.assertEqual(ended, code, "\n".join(map(self.read, (f"{name}.log", *sorted(logs)))))
        printed = self.read(f"{name}.log")
        for text in told:
            self.assertIn(text, printed)
        self.assertEqual("PASS" in printed, code == 0, printed)
        results = self.load(f"{name}/out/results.json")
        self.assertEqual((results["exit_code"], len(results["run"]["merged"])), (code, merged))
        return results

    def test_shards_on_slurm(self):
        """The scenarios run side by side, but for the last, which costs the node."""
        self.hook("red", TESTS[0], "echo wrong")
        begun = {name: self.hung(name) for name in ("late", "again", "displaced", "stopped")}
        late, late_job = self.submit("late", "--time=1")
        again, again_job = self.submit("again", "--partition=requeued")
        displaced, displaced_job = self.submit("displaced", "--partition=canceled")
        for name, job in (("late", late_job), ("again", again_job), ("displaced", displaced_job)):
            self.wait_until_hung(begun[name], job)
        self.cluster.update(f"JobId={late_job}_2", EndTime="now+1")  # the least limit is a minute
        # 8 processors less that of the late shard, which is not preempted.
        self.cluster.ask("sbatch", "--partition=urgent", "--ntasks=7", "--wrap=true", "--output=/dev/null")
        wait_for(lambda: self.cluster.state(again_job).get("2") == "PENDING", "the preemption")
        wait_for(lambda: not self.cluster.keeps(f"{again_job}_2"), "the end of the preempted attempt")
        # Slurm waits 2 minutes, since the node may report the first attempt's end still, which would end the second.
        self.cluster.update(f"JobId={again_job}_2", StartTime="now+5")
        self.expect_end("displaced", displaced, 2, "shard 2 of 2 is missing: its job", "ended as PREEMPTED: another job took its node", merged=1)
        results = self.expect_end("again", again, 0)
        self.assertEqual([entry["case"] for entry in results["cases"]], ["a/v/1/-", "b/v/1/-"])
        self.assertEqual(results["run"]["merged"][1]["shard"]["index"], 2)
        commit = self.make_checkout("green")
        green, _ = self.submit("green")
        red, _ = self.submit("red")
        stopped, stopped_job = self.submit("stopped")
        wait_for(begun["stopped"], "stopped")
        stopped.send_signal(signal.SIGINT)
        self.assertEqual(stopped.wait(SECONDS), -signal.SIGINT)
        wait_for(lambda: self.cluster.state(stopped_job).get("2") == "CANCELLED", "the cancellation")
        run = self.expect_end("green", green, 0, "PASS  2 cases on cpu-model")["run"]
        self.assertEqual((run["commit"], run["dirty"], run["branch"]), (commit, True, "main"))
        self.expect_end("red", red, 1, "1 wrong of 2 cases on cpu-model")
        self.expect_end("late", late, 2, "shard 2 of 2 is missing", "ended as TIMEOUT: it ran into its time limit", merged=1)
        self.assertEqual(os.listdir("tmp"), [], "a shard leaves nothing on its node")
        self.lose_the_node()

    def lose_the_node(self):
        begun = self.hung("lost")
        lost, job = self.submit("lost", "--no-requeue")
        self.wait_until_hung(begun, job)
        self.cluster.end("unshare")
        self.cluster.update(f"NodeName={self.cluster.node}", State="DOWN", Reason="power")
        self.expect_end("lost", lost, 2, "shard 2 of 2 is missing", "ended as NODE_FAIL: its node failed", merged=1)


if missing():
    print(f"skipped: {missing()}")
    sys.exit(77)
