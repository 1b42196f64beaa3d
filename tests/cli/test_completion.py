"""Scripts that complete the command line in bash, zsh and fish."""
import re

from support import *


class Bash(CliTest):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("bash"):
            raise unittest.SkipTest("bash is not installed")
        cls.script = run("completion", "bash").stdout

    def complete(self, *words):
        """What is offered for the last word: bash sets these variables before it calls the function."""
        program = self.script + "\nCOMP_WORDS=(\"$@\")\nCOMP_CWORD=$(($# - 1))\n_blockgen\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
        p = subprocess.run(["bash", "-c", program, "bash", "blockgen", *words], capture_output=True, text=True)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        return p.stdout.split()

    def test_commands(self):
        help_text = self.succeeds("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        commands = [line.split()[0] for line in help_text.splitlines()]
        self.assertEqual(self.complete(""), commands + ["--help", "--version"])
        self.assertEqual(self.complete("int"), ["integrate"])

    def test_every_option_of_every_command(self):
        for command in self.complete("")[:-2]:
            known = set(self.complete(command, "--"))
            told = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", self.succeeds(command, "--help").stdout, re.M))
            self.assertEqual(known, told, command)

    def test_values(self):
        self.assertEqual(self.complete("me", "--color", ""), ["auto", "summed", "sampled", "leading"])
        self.assertEqual(self.complete("me", "--color", "s"), ["summed", "sampled"])
        self.assertEqual(self.complete("integrate", "--phase-space", "=", "r"), ["rambo"])
        self.assertEqual(self.complete("integrate", "--phase-space", "="), ["adaptive", "rambo"])
        self.assertEqual(self.complete("generate", "--shower-scale", ""), ["event", "softest"])
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])

    def test_the_rest_is_left_to_the_shell(self):
        self.assertEqual(self.complete("integrate", "--checkpoint", "run"), [])
        self.assertEqual(self.complete("me", "points"), [])
        self.assertIn("complete -o bashdefault -o default -F _blockgen blockgen", self.script)


class Others(CliTest):
    def check(self, shell):
        script = self.succeeds("completion", shell).stdout
        for word in ("integrate", "cite", "color", "phase-space", "adaptive rambo", "no-rescue"):
            self.assertIn(word, script)
        if shutil.which(shell):
            with tempfile.NamedTemporaryFile("w", suffix="." + shell) as file:
                file.write(script)
                file.flush()
                p = subprocess.run([shell, "-n", file.name], capture_output=True, text=True)
                self.assertEqual((p.returncode, p.stderr), (0, ""))
        return script

    def test_zsh(self):
        self.assertTrue(self.check("zsh").startswith("#compdef blockgen\n"))

    def test_fish(self):
        script = self.check("fish")
        if shutil.which("fish"):
            p = subprocess.run(["fish", "-c", script + "\ncomplete -C 'blockgen me --color s'"], capture_output=True, text=True)
            self.assertEqual({line.split()[0] for line in p.stdout.splitlines()}, {"summed", "sampled"})

    def test_refused(self):
        self.refused(2, "it must be bash, zsh or fish", "completion", "tcsh")
        self.refused(2, "it must be bash, zsh or fish", "completion")
        self.refused(2, "--json has no effect", "completion", "bash", "--json")


if __name__ == "__main__":
    main()
