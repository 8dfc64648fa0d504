import { summaries } from '../../cli/summaries.ts'
import type { Noun } from '../../cli/command.ts'
import { deleteContacts } from './delete.ts'
import { duplicates } from './duplicates.ts'
import { find } from './find.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { match } from './match.ts'
import { merge } from './merge.ts'

export const contacts: Noun = {
  path: 'contacts',
  summary: summaries.contacts,
  examples: ['svc contacts find --email contact25@example.com', 'svc contacts delete --file ids.txt --dry-run'],
  commands: [list, get, find, match, duplicates, merge, deleteContacts],
}
