/** On a machine that is too busy a few responses are 503. Such a sample is void. */
export async function again(sample, tries = 5) {
  try {
    return await sample();
  } catch (error) {
    if (tries <= 1) throw error;
    console.error(`Measured again: ${error.message}`);
    return again(sample, tries - 1);
  }
}
