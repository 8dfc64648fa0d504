/** Commands that change one thing: exit 0 means that it was made, a refusal that it was not, 7 that this is unknown. */

const certainlyNot = (code) => [2, 4, 5, 6, 9].includes(code)

function claim(verdict, code, isDone, what) {
  if (code === 0 && !isDone) verdict.false.push(`${what} is claimed, but it was not done`)
  if (certainlyNot(code) && isDone) verdict.false.push(`exit ${code}, but ${what} was done`)
  if (code === 1) verdict.false.push(`${what}: exit 1`)
}

export const pick = (random, items) => items[Math.floor(random() * items.length)]

/** One change: the words of its command, and what its ending claims, compared with the record and the state. */
export const singles = {
  'delete-one': ({ stock }) => {
    const [a] = stock.free.splice(0, 1)
    return {
      words: ['contacts', 'delete', a, '--yes', '--json'],
      judge(verdict, { code, stdout }, entries) {
        const isDeleted = entries.some(({ deleted }) => deleted?.includes(a))
        const { result } = JSON.parse(stdout)
        if (result.deleted === 1 && !isDeleted) verdict.false.push(`${a} is claimed to be deleted`)
        if ((result.error === 1 || result.notFound === 1 || result.blocked === 1) && isDeleted)
          verdict.false.push(`${a} was deleted`)
        claim(verdict, code, isDeleted, `the deletion of ${a}`)
      },
    }
  },
  'merge-one': ({ stock }) => {
    const [a, b] = stock.free.splice(0, 2)
    return {
      words: ['contacts', 'merge', a, '--into', b, '--yes'],
      judge(verdict, { code }, entries) {
        const isMerged = entries.some(({ merged }) => merged?.source === a)
        claim(verdict, code, isMerged, `the merge of ${a}`)
        const sent = entries.filter(({ operation }) => operation === 'contacts.merge')
        const answered = sent.findIndex(({ status }) => !(status >= 400 && status < 500 && status !== 408))
        if (answered >= 0 && answered !== sent.length - 1) verdict.doubled.push(`the merge of ${a} was sent again`)
      },
    }
  },
  'assign-one': ({ stock, random }) => {
    const { id } = pick(random, stock.tickets)
    const to = pick(random, stock.employees)
    return {
      words: ['tickets', 'assign', id, '--to', to],
      async judge(verdict, { code }, entries, sandbox) {
        const now = (await sandbox.read('state?kind=tickets')).find((ticket) => ticket.id === id).assigneeId
        const changes = entries.filter(({ assigned }) => assigned !== undefined)
        if (code === 0 && now !== to) verdict.false.push(`the ticket ${id} is claimed to be assigned`)
        if (certainlyNot(code) && changes.length > 0)
          verdict.false.push(`exit ${code}, but the ticket ${id} was assigned`)
        if (changes.length > 1) verdict.doubled.push(`the ticket ${id} was assigned twice`)
      },
    }
  },
  create: ({ tag }) => {
    const name = `Chaos ${tag}`
    return {
      words: ['lists', 'create', '--name', name],
      judge(verdict, { code }, entries) {
        const created = entries.filter((entry) => entry.created !== undefined)
        claim(verdict, code, created.length > 0, `the list "${name}"`)
        if (created.length > 1) verdict.doubled.push(`the list "${name}" was created twice`)
      },
    }
  },
  update: ({ stock, random, tag }) => {
    const list = pick(random, stock.lists)
    const name = `Changed ${tag}`
    return {
      words: ['lists', 'update', list, '--name', name],
      async judge(verdict, { code }, _entries, sandbox) {
        const now = (await sandbox.read('state?kind=lists')).find(({ id }) => id === list).name
        claim(verdict, code, now === name, `the new name of ${list}`)
      },
    }
  },
}
