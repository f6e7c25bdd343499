// What a user of every client, whatever it speaks, has to see of services/orders: the question before a dear order, which the
// client puts to its user, and how far an order has come while it is on its way.
import assert from "node:assert/strict";

/** An order that the shop does not take without asking. */
const dear = { customer: "Ada", items: [{ sku: "DESK", quantity: 2 }] };

/** How the shop says where an order is, in the order in which it gets there. */
const places = ["shop", "warehouse", "on the road", "front door"];

/** What a client has to be able to do, for the shop to ask. */
export const capabilities = { elicitation: { form: {} } };

/** The user of one client: what it is asked, and what it answers. */
export class User {
  asked = [];
  answer = { action: "cancel" };

  /** Takes the parameters of an elicitation and returns its result. */
  elicit(params) {
    this.asked.push(params);
    return this.answer;
  }
}

/**
 * Connects one client, whose user is asked, has it order and track, and closes it. call takes the parameters of a call of a tool
 * and the client's options for it.
 */
export async function checkAsked(name, client, transport, { user, call }) {
  const received = [];
  transport.onmessage = (message) => received.push(message); // clients call it before they take the message themselves
  await client.connect(transport);
  try {
    await client.listTools(); // clients check results by the schemas that they have seen
    const order = await checkPlaced(user, call);
    await checkRefused(user, call);
    await checkTracked(order, call, received);
  } finally {
    await client.close();
  }
  console.log(`ok: ${name} asks its user, orders and tracks`);
}

/** The user is asked once, agrees, and the order is placed with what was answered. */
async function checkPlaced(user, call) {
  user.answer = { action: "accept", content: { agree: true, note: "ring twice" } };
  const placed = await call({ name: "order_place_order", arguments: dear });
  assert.ok(!placed.isError, JSON.stringify(placed));
  assert.equal(user.asked.length, 1, JSON.stringify(user.asked));
  const [{ message, requestedSchema }] = user.asked;
  assert.equal(message, "Place an order for Ada that costs 698.00?");
  assert.equal(requestedSchema.properties.agree.type, "boolean");
  assert.deepEqual(requestedSchema.required, ["agree"]);

  const order = placed.structuredContent;
  assert.match(order.name, /^orders\/\d+$/);
  assert.equal(order.note, "ring twice");
  assert.equal(String(order.totalCents), "69800");
  return order;
}

/** The user is asked again, since it is another order, and it is not placed where the user does not want it. */
async function checkRefused(user, call) {
  for (const answer of [{ action: "decline" }, { action: "cancel" }, { action: "accept", content: { agree: false } }]) {
    const asked = user.asked.length;
    user.answer = answer;
    const refused = await call({ name: "order_place_order", arguments: dear });
    assert.ok(refused.isError && refused.content[0].text.includes("NOT_CONFIRMED"), JSON.stringify(refused));
    assert.equal(user.asked.length, asked + 1, `asked after ${JSON.stringify(answer)}`);
  }
}

/**
 * Each step of the order is told as it comes, and the result has them all. Clients forget the handler of a call when they read its
 * result, and call handlers a little after they have read: the handler may miss the last word, where that comes in one piece with
 * the result. Among what was received it is.
 */
async function checkTracked({ name }, call, received) {
  const want = places.map((message, i) => ({ progress: i + 1, total: places.length, message }));
  const pick = ({ progress, total, message }) => ({ progress, total, message });
  const heard = [];
  received.length = 0;
  const tracked = await call(
    { name: "order_track_order", arguments: { name } },
    { onprogress: (progress) => heard.push(pick(progress)) },
  );
  assert.ok(!tracked.isError, JSON.stringify(tracked));
  const told = received.filter(({ method }) => method === "notifications/progress");
  assert.deepEqual(told.map(({ params }) => pick(params)), want);
  assert.ok(heard.length >= want.length - 1, JSON.stringify(heard));
  assert.deepEqual(heard, want.slice(0, heard.length));

  const { items, truncated } = tracked.structuredContent;
  assert.deepEqual(items.map(({ step }) => step.place), places);
  assert.ok(!truncated, JSON.stringify(tracked));
}
