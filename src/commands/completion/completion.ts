import { Argument, type Command } from '@commander-js/extra-typings'
import { parseChoice } from '../../values.ts'
import { noView, text } from '../../output/result.ts'
import { defineCommand, examples, type Run } from '../../cli/verb.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export function completion(program: Command, run: Run): void {
  defineCommand(program, 'completion', 'print a completion script for a shell')
    .description(
      'Print a script that completes commands, options, their values, profile names and files in a shell. The script\n' +
        'asks svc, which reads the configuration file for profile names and sends no request.',
    )
    .addArgument(
      new Argument('<shell>', shells.join(', ')).argParser((word: string) => parseChoice(word, '<shell>', shells)),
    )
    .addHelpText(
      'after',
      `
To use it in every new shell:
  bash   echo 'source <(svc completion bash)' >> ~/.bashrc
         (macOS's bash 3.2: svc completion bash > ~/.svc-completion.bash, and
         source that file)
  zsh    echo 'source <(svc completion zsh)' >> ~/.zshrc, below compinit
  fish   svc completion fish > ~/.config/fish/completions/svc.fish
${examples('svc completion bash > svc.bash', 'svc completion zsh > _svc', 'svc completion fish > svc.fish')}`,
    )
    .action(
      run(
        noView,
        async (_tools, shell) => {
          const { scripts } = await import('./scripts.ts')
          return text(scripts[shell])
        },
        { plain: true },
      ),
    )
}
