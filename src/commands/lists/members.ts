import { defineCommand } from '../../cli/command.ts'
import { rows } from '../../output/result.ts'
import { schemaOf } from '../../cli/verb.ts'
import { listMemberView } from '../../views/list-member.ts'
import { paging, pagingOptions } from '../../cli/paging.ts'

export const members = defineCommand({
  path: 'lists members',
  summary: 'list the contacts of a list, newest first',
  examples: [
    'svc lists members VIP',
    'svc lists members VIP -o ids',
    'svc lists members VIP -o csv --fields contact.id,name,contact.identities.email',
  ],
  arguments: [{ name: 'list', summary: 'list id or name; asked for on a terminal' }],
  options: { ...pagingOptions },
  effect: 'reads',
  shows: { ...listMemberView, schema: schemaOf('Members') },
  run: async (context, typed, options) => {
    const { foundList } = await import('./choose.ts')
    const { id } = await foundList(context, typed)
    const found = (await context.api()).lists.members(id, paging(context.print, options))
    return rows(found, { what: 'members', empty: 'no members' })
  },
})
