/** `svc completion` prints the script of a shell. The shell never evaluates what was typed or printed. */
import { defineVerb } from '../cli/verb.ts'
import { plainText } from '../output/result.ts'
import bash from './completion/svc.bash'
import fish from './completion/svc.fish'
import zsh from './completion/svc.zsh'

const scripts = { bash, zsh, fish } as const

const shells = Object.keys(scripts) as (keyof typeof scripts)[]

export const verb = defineVerb({
  summary: 'print a completion script for a shell',
  description:
    'Print a script that completes commands, options, their values, names of profiles, and files in a shell. ' +
    'The script asks svc, which reads the configuration file and sends no request.',
  notes: `To use it in every new shell:
  bash   echo 'source <(svc completion bash)' >> ~/.bashrc
         (macOS's bash 3.2: svc completion bash > ~/.svc-completion.bash, and
         source that file)
  zsh    echo 'source <(svc completion zsh)' >> ~/.zshrc, below compinit
  fish   svc completion fish > ~/.config/fish/completions/svc.fish`,
  examples: [
    'svc completion bash > svc.bash',
    'svc completion zsh > _svc',
    'svc completion fish > svc.fish',
  ],
  arguments: [
    {
      name: 'shell',
      summary: shells.join(', '),
      isRequired: true,
      choices: shells,
    },
  ],
  effect: 'reads',
  formats: ['table'],
  act: (_context, [shell]) => plainText(scripts[shell]),
})
