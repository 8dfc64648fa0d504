import { defineVerb } from '../../cli/verb.ts'
import { noView, text } from '../../output/result.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export const verb = defineVerb({
  description:
    'Print a script that completes commands, options, their values, names of profiles and runs, and files in a shell.\n' +
    'The script asks svc, which reads the configuration file and the state folder and sends no request.',
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
  shows: noView,
  plain: true,
  run: async (_tools, [shell]) => {
    const { scripts } = await import('./scripts.ts')
    return text(scripts[shell])
  },
})
