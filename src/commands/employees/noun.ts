import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { list } from './list.ts'
import { examples } from '../../cli/options.ts'

export function employees(program: Command, run: Run): void {
  const noun = program
    .command('employees')
    .summary("the company's employees, human and AI")
    .description("The company's employees, human and AI.")
    .addHelpText('after', examples('svc employees list --kind human'))
  for (const verb of [list]) verb(noun, run)
}
