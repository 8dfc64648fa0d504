-- A record that svc 8.0.0 wrote, as SQL: runs with faults, a kill, a close, an undo, and merges without an answer.
BEGIN;
CREATE TABLE runs (
  key INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again
  id TEXT NOT NULL UNIQUE,                 -- delete-20260301-101500-3f9a
  once TEXT UNIQUE COLLATE NOCASE,         -- the name of --once
  job TEXT NOT NULL,                       -- JSON: what is to be done, where, with which key
  accepted TEXT NOT NULL,                  -- JSON: outcomes that count as done
  begun INTEGER NOT NULL,
  touched INTEGER NOT NULL,                -- the last sign of life of the command that works on it
  turn INTEGER NOT NULL,                   -- the number of its current owner; begin and each take add 1
  working INTEGER NOT NULL,                -- 1: a command works on it, or was killed
  pid INTEGER, host TEXT,                  -- the process and the machine of that command
  ended INTEGER, stop TEXT,                -- when the last command ended, and why it stopped
  closed INTEGER,                          -- when it was closed: nothing more is sent
  counts TEXT,                             -- JSON: how many ids have each outcome; NULL: to be counted
  due INTEGER                              -- how many ids are still to be sent; NULL: to be counted
);
CREATE TABLE batches (                     -- a row for each request
  run INTEGER NOT NULL,                    -- the key of its run
  n INTEGER NOT NULL,                      -- the place of its first id in the input
  size INTEGER NOT NULL,                   -- how many ids it has
  outcome TEXT,                            -- the outcome of all its ids; NULL: they differ
  outcomes TEXT,                           -- JSON: the outcome of each id, if they differ
  due INTEGER NOT NULL,                    -- 1: still to be sent
  at INTEGER, status INTEGER, code INTEGER, message TEXT,
  noted TEXT,                              -- JSON: details that its operation keeps
  items TEXT NOT NULL,                     -- JSON: [[id, line, other id, expected assignee], …]
  PRIMARY KEY (run, n)
);
CREATE VIEW items AS
SELECT run, n + i.key AS n, json_extract(i.value, '$[0]') AS id, json_extract(i.value, '$[1]') AS line,
  json_extract(i.value, '$[2]') AS target, json_extract(i.value, '$[3]') AS expected,
  coalesce(outcome, json_extract(outcomes, '$[' || i.key || ']')) AS outcome, due, at, status, code, message, noted
FROM batches, json_each(batches.items) AS i;
INSERT INTO runs (key, id, once, job, accepted, begun, touched, turn, working, pid, host, ended, stop, closed, counts, due) VALUES
(1, 'add-20261129-173147-877a', 'Add-Job', '{"operation":"lists.add-contacts","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","target":{"id":"6400172181a0fa394c0000a0","name":"VIP"},"profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":4,"unique":4,"duplicates":0,"leftOut":0,"undecided":0},"source":"/home/ada/add.txt"}', '[]', 1795973507414, 1795973507445, 1, 0, 12920, 'laptop', 1795973507445, NULL, NULL, '{"done":3,"not-found":1}', 0),
(2, 'add-20261129-173147-2391', NULL, '{"operation":"lists.add-contacts","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","target":{"id":"640008ad81a0fa394c00003c","name":"Trade fair"},"profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":1,"unique":1,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973507602, 1795973507612, 1, 0, 12947, 'laptop', 1795973507612, NULL, NULL, '{"done":1}', 0),
(3, 'delete-20261129-173147-2c88', NULL, '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":4,"unique":3,"duplicates":1,"leftOut":1,"undecided":1},"source":"/home/ada/del.csv"}', '["not-found"]', 1795973507718, 1795973507740, 1, 0, 12955, 'laptop', 1795973507740, NULL, NULL, '{"done":1,"not-found":1,"blocked":1}', 0),
(4, 'assign-20261129-173147-7d5a', NULL, '{"operation":"tickets.assign","item":"ticket","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","target":{"id":"6400002876ded2c460000001","name":"Robin Berg"},"expected":{"id":"6400000376ded2c460000000","name":"Alice Adams"},"profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":5,"unique":5,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973507853, 1795973507878, 1, 0, 12977, 'laptop', 1795973507878, NULL, NULL, '{"done":2,"error":3}', 0),
(5, 'assign-20261129-173148-e5c5', NULL, '{"operation":"tickets.assign","item":"ticket","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","target":{"id":"640000e176ded2c460000006","name":"Sam Twin"},"expected":{"id":"6400000376ded2c460000000","name":"Alice Adams"},"profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":1,"unique":1,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973508032, 1795973508041, 1, 0, 12995, 'laptop', 1795973508041, NULL, NULL, '{"kept":1}', 0),
(6, 'assign-20261129-173148-18fe', 'shift', '{"operation":"tickets.assign","item":"ticket","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","target":{"id":"6400002876ded2c460000001","name":"Robin Berg"},"profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":3,"unique":3,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973508159, 1795973508192, 1, 0, 13012, 'laptop', 1795973508192, NULL, NULL, '{"done":1,"error":2}', 0),
(7, 'assign-20261129-173148-f902', NULL, '{"operation":"tickets.assign","item":"ticket","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","undoes":"assign-20261129-173148-18fe","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":1,"unique":1,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973508376, 1795973508419, 1, 0, 13037, 'laptop', 1795973508419, NULL, NULL, '{"done":1}', 0),
(8, 'delete-20261129-173148-3ff0', 'nightly', '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":8,"unique":8,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973508665, 1795973514711, 1, 0, 13063, 'laptop', 1795973514711, 'failures', NULL, '{"done":2,"unknown":6}', 6),
(9, 'delete-20261129-173154-ece9', NULL, '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":3,"unique":3,"duplicates":0,"leftOut":0,"undecided":0}}', '["gone"]', 1795973514892, 1795973515209, 1, 0, 13517, 'laptop', 1795973515209, NULL, NULL, '{"done":1,"gone":2}', 0),
(10, 'merge-20261129-173155-0088', NULL, '{"operation":"contacts.merge","item":"contact","isSentOnce":true,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":3,"unique":3,"duplicates":0,"leftOut":0,"undecided":0},"source":"/home/ada/pairs.csv"}', '[]', 1795973515412, 1795973515450, 1, 0, 13575, 'laptop', 1795973515451, NULL, NULL, '{"done":2,"unknown":1}', 0),
(11, 'merge-20261129-173155-01bb', 'lost-merges', '{"operation":"contacts.merge","item":"contact","isSentOnce":true,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":4,"unique":4,"duplicates":0,"leftOut":0,"undecided":0},"source":"/home/ada/more.csv"}', '[]', 1795973515634, 1795973518651, 1, 0, 13604, 'laptop', 1795973518652, 'failures', NULL, '{"unknown":3,"not-attempted":1}', 1),
(12, 'delete-20261129-173158-210b', 'shut', '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":6,"unique":6,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973518862, 1795973523011, 2, 0, 13874, 'laptop', 1795973523011, NULL, 1795973523011, '{"done":2,"unknown":4}', 0),
(13, 'delete-20261129-173203-a930', NULL, '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":3,"unique":3,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973523100, 1795973525114, 1, 0, 14230, 'laptop', 1795973525117, NULL, NULL, '{"unknown":3}', 3),
(14, 'add-20261129-173205-9726', 'later', '{"operation":"lists.add-contacts","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","target":{"id":"6400172181a0fa394c0000a0","name":"VIP"},"profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":6,"unique":6,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973525579, 1795973525620, 1, 0, 14484, 'laptop', 1795973525620, 'wait', NULL, '{"done":2,"not-attempted":4}', 4),
(15, 'delete-20261129-173206-ae1b', 'key', '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":6,"unique":6,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973526137, 1795973526168, 1, 0, 14537, 'laptop', 1795973526168, 'not-allowed', NULL, '{"done":2,"not-attempted":4}', 4),
(16, 'delete-20261129-173206-dd71', 'ctrl-c', '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":6,"unique":6,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973526380, 1795973527497, 1, 0, 14563, 'laptop', 1795973527497, 'signal', NULL, '{"done":2,"unknown":2,"not-attempted":2}', 4),
(17, 'delete-20261129-173207-cf25', 'killed', '{"operation":"contacts.delete","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":7,"unique":7,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973527744, 1795973527785, 1, 1, 14656, 'laptop', NULL, NULL, NULL, NULL, NULL),
(18, 'assign-20261129-173209-77f1', 'assigns', '{"operation":"tickets.assign","item":"ticket","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":4,"unique":4,"duplicates":0,"leftOut":0,"undecided":0},"source":"/home/ada/changes.csv"}', '[]', 1795973529227, 1795973533332, 1, 0, 14787, 'laptop', 1795973533332, NULL, NULL, '{"done":2,"not-attempted":2}', 2),
(19, 'add-20261129-173213-4aaf', NULL, '{"operation":"lists.add-contacts","item":"contact","isSentOnce":false,"baseUrl":"http://127.0.0.1:4799","target":{"id":"6400172181a0fa394c0000a0","name":"VIP"},"profile":null,"key":"e88786695f479e52","keyEnding":"…x_rw","user":"ada","host":"laptop","input":{"read":1,"unique":1,"duplicates":0,"leftOut":0,"undecided":0}}', '[]', 1795973533684, 1795973533696, 1, 0, 15070, 'laptop', 1795973533696, NULL, NULL, '{"error":1}', 0);
INSERT INTO batches (run, n, size, outcome, outcomes, due, at, status, code, message, noted, items) VALUES
(1, 0, 4, NULL, '["done","done","not-found","done"]', 0, 1795973507444, NULL, NULL, NULL, '{"added":3,"isLeast":false}', '[["64000000d5aad2927b000000",1],["6400004ad5aad2927b000002",2],["ffffffffffffffffffffff01",3],["6400006fd5aad2927b000003",4]]'),
(2, 0, 1, 'done', NULL, 0, 1795973507611, NULL, NULL, NULL, '{"added":1,"isLeast":false}', '[["640000b9d5aad2927b000005",0]]'),
(3, 0, 2, NULL, '["done","blocked"]', 0, 1795973507739, NULL, NULL, NULL, NULL, '[["64000000d5aad2927b000000",2],["64000025d5aad2927b000001",3]]'),
(3, 2, 1, 'not-found', NULL, 0, 1795973507740, NULL, NULL, NULL, NULL, '[["ffffffffffffffffffffff02",4]]'),
(4, 0, 1, 'done', NULL, 0, 1795973507869, NULL, NULL, NULL, '{"before":"6400000376ded2c460000000","after":"6400002876ded2c460000001"}', '[["64000004caa033e218000000",0]]'),
(4, 1, 1, 'error', NULL, 0, 1795973507860, 400, 40001, 'the ticket could not be read: the history is unavailable while the ticket is new', NULL, '[["64000029caa033e218000001",0]]'),
(4, 2, 1, 'done', NULL, 0, 1795973507873, NULL, NULL, NULL, '{"before":"6400000376ded2c460000000","after":"6400002876ded2c460000001"}', '[["6400004ecaa033e218000002",0]]'),
(4, 3, 1, 'error', NULL, 0, 1795973507878, 400, 40001, 'the ticket is not active; the ticket is closed', '{"isExplained":true}', '[["64000073caa033e218000003",0]]'),
(4, 4, 1, 'error', NULL, 0, 1795973507876, 404, 40401, 'the ticket could not be read: the ticket does not exist', NULL, '[["ffffffffffffffffffffff09",0]]'),
(5, 0, 1, 'kept', NULL, 0, 1795973508040, NULL, NULL, '6400002876ded2c460000001 has the ticket', NULL, '[["64000004caa033e218000000",0]]'),
(6, 0, 1, 'error', NULL, 0, 1795973508188, 400, 40001, 'the ticket is not the current ticket of its chat', '{"before":"6400000376ded2c460000000"}', '[["64000098caa033e218000004",0]]'),
(6, 1, 1, 'error', NULL, 0, 1795973508176, 400, 40001, 'the ticket has no assignee; nobody has it', '{"isExplained":true}', '[["640000bdcaa033e218000005",0]]'),
(6, 2, 1, 'done', NULL, 0, 1795973508191, NULL, NULL, NULL, '{"before":"6400000376ded2c460000000","after":"6400002876ded2c460000001"}', '[["640000e2caa033e218000006",0]]'),
(7, 0, 1, 'done', NULL, 0, 1795973508418, NULL, NULL, NULL, '{"before":"6400002876ded2c460000001","after":"6400000376ded2c460000000"}', '[["640000e2caa033e218000006",0,"6400000376ded2c460000000","6400002876ded2c460000001"]]'),
(8, 0, 2, 'done', NULL, 0, 1795973508694, NULL, NULL, NULL, NULL, '[["6400004ad5aad2927b000002",0],["6400006fd5aad2927b000003",0]]'),
(8, 2, 2, 'unknown', NULL, 1, 1795973510699, 503, 50300, 'Service Unavailable', NULL, '[["640000b9d5aad2927b000005",0],["640000ded5aad2927b000006",0]]'),
(8, 4, 2, 'unknown', NULL, 1, 1795973512705, 503, 50300, 'Service Unavailable', NULL, '[["64000128d5aad2927b000008",0],["6400014dd5aad2927b000009",0]]'),
(8, 6, 2, 'unknown', NULL, 1, 1795973514710, 503, 50300, 'Service Unavailable', NULL, '[["64000197d5aad2927b00000b",0],["640001bcd5aad2927b00000c",0]]'),
(9, 0, 2, 'gone', NULL, 0, 1795973515209, NULL, NULL, NULL, NULL, '[["64000206d5aad2927b00000e",0],["6400022bd5aad2927b00000f",0]]'),
(9, 2, 1, 'done', NULL, 0, 1795973514920, NULL, NULL, NULL, NULL, '[["64000275d5aad2927b000011",0]]'),
(10, 0, 1, 'done', NULL, 0, 1795973515441, NULL, NULL, NULL, NULL, '[["64001158d5aad2927b000078",2,"6400117dd5aad2927b000079"]]'),
(10, 1, 1, 'unknown', NULL, 0, 1795973515446, NULL, NULL, 'the connection was closed before the answer was complete', NULL, '[["640011a2d5aad2927b00007a",3,"640011c7d5aad2927b00007b"]]'),
(10, 2, 1, 'done', NULL, 0, 1795973515450, NULL, NULL, NULL, NULL, '[["640011ecd5aad2927b00007c",4,"64001211d5aad2927b00007d"]]'),
(11, 0, 1, 'unknown', NULL, 0, 1795973516646, NULL, NULL, 'no complete answer within 1 s (--timeout)', NULL, '[["64001236d5aad2927b00007e",2,"6400125bd5aad2927b00007f"]]'),
(11, 1, 1, 'unknown', NULL, 0, 1795973517648, NULL, NULL, 'no complete answer within 1 s (--timeout)', NULL, '[["64001280d5aad2927b000080",3,"640012a5d5aad2927b000081"]]'),
(11, 2, 1, 'unknown', NULL, 0, 1795973518651, NULL, NULL, 'no complete answer within 1 s (--timeout)', NULL, '[["640012cad5aad2927b000082",4,"640012efd5aad2927b000083"]]'),
(11, 3, 1, 'not-attempted', NULL, 1, NULL, NULL, NULL, NULL, NULL, '[["64001314d5aad2927b000084",5,"64001339d5aad2927b000085"]]'),
(12, 0, 2, 'done', NULL, 0, 1795973518889, NULL, NULL, NULL, NULL, '[["6400029ad5aad2927b000012",0],["640002e4d5aad2927b000014",0]]'),
(12, 2, 2, 'unknown', NULL, 0, 1795973520899, 503, 50300, 'Service Unavailable', NULL, '[["64000309d5aad2927b000015",0],["64000353d5aad2927b000017",0]]'),
(12, 4, 2, 'unknown', NULL, 0, 1795973522904, 503, 50300, 'Service Unavailable', NULL, '[["64000378d5aad2927b000018",0],["640003c2d5aad2927b00001a",0]]'),
(13, 0, 2, 'unknown', NULL, 1, 1795973524108, 503, 50300, 'Service Unavailable', NULL, '[["640003e7d5aad2927b00001b",0],["64000431d5aad2927b00001d",0]]'),
(13, 2, 1, 'unknown', NULL, 1, 1795973525114, 503, 50300, 'Service Unavailable', NULL, '[["64000456d5aad2927b00001e",0]]'),
(14, 0, 2, 'done', NULL, 0, 1795973525608, NULL, NULL, NULL, '{"added":2,"isLeast":false}', '[["64000000d5aad2927b000000",0],["6400004ad5aad2927b000002",0]]'),
(14, 2, 2, 'not-attempted', NULL, 1, 1795973525620, 429, 42900, 'Too Many Requests', '{"added":0,"isLeast":false}', '[["6400006fd5aad2927b000003",0],["640000b9d5aad2927b000005",0]]'),
(14, 4, 2, 'not-attempted', NULL, 1, NULL, NULL, NULL, NULL, NULL, '[["640000ded5aad2927b000006",0],["64000128d5aad2927b000008",0]]'),
(15, 0, 2, 'done', NULL, 0, 1795973526164, NULL, NULL, NULL, NULL, '[["640004a0d5aad2927b000020",0],["640004c5d5aad2927b000021",0]]'),
(15, 2, 2, 'not-attempted', NULL, 1, 1795973526167, 401, 40121, 'Invalid API credentials', NULL, '[["6400050fd5aad2927b000023",0],["64000534d5aad2927b000024",0]]'),
(15, 4, 2, 'not-attempted', NULL, 1, NULL, NULL, NULL, NULL, NULL, '[["6400057ed5aad2927b000026",0],["640005a3d5aad2927b000027",0]]'),
(16, 0, 2, 'done', NULL, 0, 1795973526489, NULL, NULL, NULL, NULL, '[["640005edd5aad2927b000029",0],["64000612d5aad2927b00002a",0]]'),
(16, 2, 2, 'unknown', NULL, 1, 1795973527497, NULL, NULL, 'no complete answer within 1 s (--timeout)', NULL, '[["6400065cd5aad2927b00002c",0],["64000681d5aad2927b00002d",0]]'),
(16, 4, 2, 'not-attempted', NULL, 1, NULL, NULL, NULL, NULL, NULL, '[["640006cbd5aad2927b00002f",0],["640006f0d5aad2927b000030",0]]'),
(17, 0, 2, 'done', NULL, 0, 1795973527781, NULL, NULL, NULL, NULL, '[["6400073ad5aad2927b000032",0],["6400075fd5aad2927b000033",0]]'),
(17, 2, 2, 'done', NULL, 0, 1795973527785, NULL, NULL, NULL, NULL, '[["640007a9d5aad2927b000035",0],["640007ced5aad2927b000036",0]]'),
(17, 4, 2, 'unknown', NULL, 1, 1795973527785, NULL, NULL, NULL, NULL, '[["64000818d5aad2927b000038",0],["6400083dd5aad2927b000039",0]]'),
(17, 6, 1, 'not-attempted', NULL, 1, NULL, NULL, NULL, NULL, NULL, '[["64000887d5aad2927b00003b",0]]'),
(18, 0, 1, 'done', NULL, 0, 1795973529297, NULL, NULL, NULL, '{"before":"6400000376ded2c460000000","after":"6400002876ded2c460000001"}', '[["64000107caa033e218000007",2,"6400002876ded2c460000001"]]'),
(18, 1, 1, 'done', NULL, 0, 1795973529327, NULL, NULL, 'it has this assignee', '{"before":"6400000376ded2c460000000"}', '[["6400012ccaa033e218000008",3,"640000e176ded2c460000006"]]'),
(18, 2, 1, 'not-attempted', NULL, 1, 1795973531329, 503, 50300, 'Service Unavailable', NULL, '[["64000151caa033e218000009",4,"6400000376ded2c460000000"]]'),
(18, 3, 1, 'not-attempted', NULL, 1, 1795973533332, 503, 50300, 'Service Unavailable', NULL, '[["64000176caa033e21800000a",5,"6400000376ded2c460000000"]]'),
(19, 0, 1, 'error', NULL, 0, 1795973533695, 400, 40001, 'Validation error', '{"added":0,"isLeast":false}', '[["640022b0d5aad2927b0000f0",0]]');
UPDATE sqlite_sequence SET seq = 20;
PRAGMA application_id = 1937138481;
PRAGMA user_version = 1;
COMMIT;
