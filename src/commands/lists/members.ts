import { fullName } from '../../api/by-name.ts'
import type { ListMember } from '../../api/schemas.ts'
import { listArgument, resolveList } from '../../cli/lists.ts'
import { limitOption, defineVerb } from '../../cli/verb.ts'
import { id, rows, text, time, wide } from '../../output/result.ts'

export const verb = defineVerb({
  summary: 'list the contacts of a list, newest first',
  examples: [
    'svc lists members VIP',
    'svc lists members VIP -o ids',
    'svc lists members VIP -o csv --fields contact.id,name,contact.identities.email',
  ],
  notes: `In JSON, contact.id is the id that other commands take; id is that of the
membership. With -o ids, svc prints the ids of the contacts.`,
  arguments: [listArgument],
  options: limitOption,
  isRead: true,
  columns: {
    CONTACT: id('contact.id'),
    NAME: text(({ contact }: ListMember) => fullName(contact)),
    PHONE: text('contact.identities.phone'),
    EMAIL: wide(text('contact.identities.email')),
    JOINED: wide(time('createdAt')),
  },
  ids: 'contact.id',
  act: async (context, [typed]) => {
    const list = await resolveList(context, typed)
    const { lists } = await context.api()
    const found = await lists.members(list.id, context.print.rowLimit)
    return rows(found.rows, { what: 'members', total: found.total })
  },
})
