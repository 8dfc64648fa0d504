import { defineCommand, type Verb } from '../../cli/verb.ts'
import { apply } from './apply.ts'
import { approve } from './approve.ts'
import { show } from './show.ts'

export const plans: Verb = (program, run) => {
  const noun = defineCommand(program, 'plans', 'plans of bulk commands: show, approve, apply', [
    'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
    'svc plans approve old.plan',
    'svc plans apply old.plan --yes',
  ]).description(
    'Plans of bulk commands: --plan writes what would be sent as a file, somebody else reviews and signs it, and it is\n' +
      'applied once, exactly as written.',
  )
  for (const verb of [show, approve, apply]) verb(noun, run)
}
