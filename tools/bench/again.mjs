/** On an overloaded machine, a few responses are 503. Such a sample is discarded and measured again. */
export async function again(sample, tries = 5) {
  try {
    return await sample();
  } catch (error) {
    if (tries <= 1) throw error;
    console.error(`Measured again: ${error.message}`);
    return again(sample, tries - 1);
  }
}
