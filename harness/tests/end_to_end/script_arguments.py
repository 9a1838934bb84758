# SPDX-License-Identifier: MIT
"""Tests of what the scripts in ci/ say of arguments that they do not take."""

import json
import os
import re
import shutil
import subprocess
import sys

from command_run import TREE
from own_folder import OwnFolder, read_text

CI = os.path.join(TREE, "ci")
COMMANDS = ("gate", "rebaseline")  # whose scripts start a command
# Without the folder of the results of the run that this is a test of, which a gate would clear.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
PACKAGES = "there all file:/bin/sh is there\nno-such-package==1 rewrite python:no_such_module reads sources\n"


class Arguments(OwnFolder):
    """Each test has a copy of the scripts, of which nothing that they begin with works: a mistaken call must not come to it."""

    def setUp(self):
        super().setUp()
        for part in ("ci", "tools/dev", "tools/kernelgate", "baselines/schemas"):
            shutil.copytree(os.path.join(TREE, part), part)
        self.write("ci/setup", "#!/bin/sh\nexit 9\n")
        self.write("CMakePresets.json", "{}")

    def script(self, name):
        """The path of a script's copy, in ci/ or in tools/dev/."""
        paths = [os.path.join(self.folder, folder, name) for folder in ("ci", "tools/dev")]
        return next(filter(os.path.exists, paths))

    def shown(self, name):
        return os.path.relpath(self.script(name), self.folder)

    def run_script(self, name, *arguments, **settings):
        return self.call(self.script(name), *arguments, **settings)

    def call(self, *command, **settings):
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**ENVIRONMENT, **settings})

    def write_tools(self, *names):
        """The directory of programs that fail: neither root nor anybody else may install anything here."""
        for name in names:
            self.write_script(f"programs/{name}", "#!/bin/sh\nexit 1\n")
        return f"{self.folder}/programs"

    def refuses(self, line, name, *arguments, **settings):
        done = self.run_script(name, *arguments, **settings)
        said = "kernelgate" if name in COMMANDS else self.shown(name)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"{said}: {line}\n"))

    def test_a_script_without_arguments_takes_none(self):
        for name in ("test", "lint", "try-install"):
            for words in (["", "--fast"], [""], ["--fast"], ["more", "words"]):
                self.refuses(f"unexpected argument '{words[0]}'; see {self.shown(name)} --help", name, *words)
            self.assertEqual(self.run_script(name, "--help").returncode, 0)
        self.assertEqual(self.run_script("test").returncode, 9)

    def test_a_script_may_be_called_through_a_link(self):
        scripts = [name for name in sorted(os.listdir(CI)) if os.access(os.path.join(CI, name), os.X_OK) and os.path.isfile(os.path.join(CI, name))]
        self.assertIn("gate", scripts)
        os.mkdir("else where")
        os.symlink("ci", "linked")
        for name in scripts:
            if not re.search("/common.sh|/tools/kernelgate", self.read(f"ci/{name}")):
                continue
            link = f"{self.folder}/else where/my-{name}"
            os.symlink(os.path.join("..", "linked", name), link)
            told = self.run_script(name, "--help")
            self.assertEqual(told.returncode, 0, told.stderr)
            os.chdir("else where")
            done = self.call(link, "--help")
            os.chdir(self.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, told.stdout, ""), name)
        done = self.call("else where/my-gate", "--fast")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "kernelgate: gate: unknown option --fast; did you mean \"--base\"? See `kernelgate gate --help`\n"))

    def test_an_error_is_one_line_whatever_it_names(self):
        for name in COMMANDS:
            self.refuses(f'{name}: unknown target "x y": use all, model, gpu, sm: see `kernelgate {name} --help`',
                         name, "--target", "x\ny")
            self.refuses(f"{name}: unknown option -- [1m: see `kernelgate {name} --help`", name, "--\x1b[1m")
            self.refuses("KG_BASELINES='nowhere' is not a folder: set it to the folder of the baselines, or unset it", name,
                         KG_BASELINES="nowhere")
        for one, other in (("changed", "all"), ("changed", "paired"), ("verbose", "quiet")):
            self.refuses(f"gate: --{one} and --{other} exclude each other: give one of them", "gate", f"--{one}", f"--{other}")
        for folder in ("a\nb", "a\x7fb", "a\tb"):
            path = os.path.join(self.folder, folder)
            self.refuses(f"KG_OUT='{self.folder}/a b' holds a control character: set it to another folder", "gate", KG_OUT=path)
            self.assertFalse(os.path.exists(path))

    def test_what_to_install_by_hand_is_all_that_a_gate_makes_use_of(self):
        shutil.copy(os.path.join(CI, "setup"), "ci/setup")
        self.write("ci/packages", "needed all command:no-such-program is needed\nwished page file:/no/such/plotter.js draws (or not)\n"
                                  "there page file:/bin/sh is there without a package\ntested test command:no-such-test tests\n")
        tools = self.write_tools("apt-get", "sudo", "dpkg-query")
        done = self.run_script("setup", "--for", "gate", PATH=f"{tools}:{os.environ['PATH']}", TMPDIR=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"as root(, run)?: apt-get update && apt-get install --no-install-recommends needed "
                                      r"wished( \(log: .*\))?\n$")
        for name in ("bash", "dirname", "env", "grep", "readlink", "sed"):
            os.symlink(shutil.which(name), os.path.join(tools, name))
        os.unlink(os.path.join(tools, "apt-get"))
        done = self.run_script("setup", "--for", "gate", PATH=tools)
        self.assertEqual((done.returncode, done.stderr.splitlines()[:2]),
                         (2, ["ci/setup: missing: needed (is needed)", "ci/setup: missing: wished (draws (or not))"]))

    def test_what_cannot_be_had_from_pypi_is_named_and_no_error(self):
        shutil.copy(os.path.join(CI, "setup"), "ci/setup")
        self.write("ci/packages", PACKAGES)
        tools = self.write_tools("apt-get", "sudo", "dpkg-query", "python3")
        done = self.run_script("setup", "--for", "gate", PATH=f"{tools}:{os.environ['PATH']}", TMPDIR=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no-such-package==1 cannot be had: kernels with <<<>>>, inline PTX or extern __shared__ do not compile", done.stdout)
        # Debian's packages are not for another Python, and without these there is no gate.
        self.write("programs/python3", "#!/bin/sh\ncase $2 in *sys.executable*) echo /opt/python3 ;; *) exit 1 ;; esac\n")
        self.write("ci/packages", PACKAGES + "python3-no-such all python:no_such_module reads documents\n")
        done = self.run_script("setup", "--for", "gate", PATH=f"{tools}:{os.environ['PATH']}", TMPDIR=self.folder)
        self.assertEqual((done.returncode, f"{tools}/python3 lacks no-such: put /usr/bin first in PATH" in done.stderr), (2, True), done)

    def test_an_image_has_what_setup_needs(self):
        """ci/Dockerfile copies these files before it copies the rest; what it installs there serves all projects."""
        *sources, _ = re.search(r"^COPY (.*)$", read_text(os.path.join(CI, "Dockerfile")), re.MULTILINE)[1].split()
        os.makedirs("home/ci")
        for source in sources:
            shutil.copy(os.path.join(TREE, source), "home/ci")
        self.write("home/ci/packages", PACKAGES)
        self.write("home/build/tools/python/installed", f"no-such-package==1 Python {sys.version.split()[0]}\n")
        done = self.call(f"{self.folder}/home/ci/setup", "--for", "gate", KG_PROJECT=self.folder, PIP_NO_INDEX="1")
        self.assertEqual((done.returncode, "cannot be had" in done.stdout, os.path.exists("build")), (0, False, False), done)

    def test_a_devcontainer_names_files_and_a_user_that_are_there(self):
        user = re.search(r"useradd .* (\w+)$", read_text(os.path.join(CI, "Dockerfile")), re.MULTILINE)[1]
        for folder in (TREE, os.path.join(TREE, "examples", "own-kernels")):
            folder = os.path.join(folder, ".devcontainer")
            container = json.loads(re.sub(r"^ *//.*$", "", read_text(os.path.join(folder, "devcontainer.json")), flags=re.MULTILINE))
            self.assertEqual((container["remoteUser"], container["hostRequirements"]), (user, {"gpu": "optional"}))
            if "build" in container:
                dockerfile = os.path.join(folder, container["build"]["dockerfile"])
            else:
                dockerfile = os.path.join(TREE, re.search(r"--file (\S+)", container["initializeCommand"])[1])
            self.assertTrue(os.path.samefile(os.path.join(CI, "Dockerfile"), dockerfile))

    def test_results_that_can_have_no_folder(self):
        file = os.path.join(self.folder, "CMakePresets.json")
        for path, why in ((file, "is not a folder: name another one, or remove it"),
                          (file + "/out", "the folder cannot be made: Not a directory: name another, or check the permissions above it")):
            self.refuses(f"{path}: {why}", "gate", KG_OUT=path)

    def test_results_that_would_replace_what_is_not_theirs(self):
        tree, linked, kept, tracked = (os.path.join(self.folder, name) for name in ("tree", "linked", "kept", "src"))
        os.mkdir(linked)
        for file in ("tree/CMakeLists.txt", "kept/x.verdicts.json", "src/a.cu"):
            self.write(file, "")
        subprocess.run("git init -q . && git add src", shell=True, check=True)
        os.symlink(kept, os.path.join(linked, "records"))
        for folder in (tree, self.folder, tracked, os.path.join(self.folder, "kernels"), "/"):
            self.refuses(f"KG_OUT='{folder}' holds source files, which results would be mixed with: set it to another folder, such as out",
                         "gate", KG_OUT=folder)
        self.refuses(f"{linked}/records: is a symbolic link, and each run removes what the last one left there: remove the link, or "
                     "set KG_OUT to another folder", "gate", KG_OUT=linked)
        self.assertEqual(os.listdir(kept), ["x.verdicts.json"])

    def test_output_that_goes_nowhere(self):
        """A run whose output is lost never passes."""
        self.write("ci/setup", "#!/bin/sh\n")
        for redirection in (">&-", ">/dev/full", "2>&- >&-"):
            done = self.call("bash", "-c", f"ci/gate --target model {redirection}")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, "2>" not in redirection), done.stderr)
        done = self.call("bash", "-c", "ulimit -n 5; ci/gate --target model")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_page(self):
        self.refuses("KG_CHROMIUM=/no/such is not a program: set it to a Chromium, or unset it", "test-page", "/bin/true", KG_CHROMIUM="/no/such")
        self.assertEqual(self.run_script("test-page", "--help").returncode, 0)
