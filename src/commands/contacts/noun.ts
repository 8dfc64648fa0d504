import { defineCommand, type Verb } from '../../cli/verb.ts'
import { deleteContacts } from './delete.ts'
import { duplicates } from './duplicates.ts'
import { find } from './find.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { match } from './match.ts'
import { merge } from './merge.ts'

export const contacts: Verb = (program, run) => {
  const noun = defineCommand(program, 'contacts', 'list, find, merge and delete contacts', [
    'svc contacts find --email contact25@example.com',
    'svc contacts delete --file ids.txt --dry-run',
  ])
  for (const verb of [list, get, find, match, duplicates, merge, deleteContacts]) verb(noun, run)
}
