// The tests of the C library: main DIRECTORY, which must be empty.
#include "check.h"

int main(int count, char **arguments) {
  if (count != 2) return 2;
  test_changes();
  test_queries();
  test_relations();
  test_arguments();
  test_observers();
  test_passes();
  test_files(arguments[1]);
  test_nesting(arguments[1]);
  puts("all tests of the C library passed");
  return 0;
}
