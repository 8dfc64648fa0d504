import { defineVerb, viewOf } from '../../cli/verb.ts'
import { rows, columnOf } from '../../output/result.ts'
import { fullName } from '../../api/names.ts'
import { limitOption } from '../../cli/global-options.ts'
import { listArgument, resolveList, phoneFloor } from '../../cli/lists.ts'

const listMemberView = viewOf(
  'Members',
  [
    'contact.id as CONTACT',
    'name',
    { ...columnOf('contact.identities.phone as PHONE'), floor: phoneFloor },
    'contact.identities.email as EMAIL',
    'createdAt as JOINED',
  ],
  {
    // People would mistake a bare `id` for the contact's id, and deleting these would find nobody.
    hiddenField: 'id',
    computed: { name: ({ contact }) => fullName(contact), membershipId: ({ id }) => id },
    // The id of the contact, which other commands take, not of the membership, which none takes.
    id: ({ contact }) => contact.id,
  },
)

export const verb = defineVerb({
  examples: [
    'svc lists members VIP',
    'svc lists members VIP -o ids',
    'svc lists members VIP -o csv --fields contact.id,name,contact.identities.email',
  ],
  notes: `Other commands take the id of the contact. In JSON it is contact.id; the id
beside it is that of the membership. With -o ids, svc prints the contacts' ids.`,
  arguments: [listArgument],
  options: limitOption,
  effect: 'reads',
  shows: listMemberView,
  run: async (context, [typed]) => {
    const { id } = await resolveList(context, typed)
    const found = (await context.api()).lists.members(id, context.print.rowLimit)
    return rows(found, { what: 'members', empty: 'no members' })
  },
})
